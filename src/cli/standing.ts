import { EXIT } from "./exit-code.ts";
import type { Host } from "./host.ts";
import type { Io } from "./io.ts";
import { printable } from "./terminal-text.ts";

/** A process manager waits ten seconds; whatever is not written by then is safe to leave to the next start. */
const DRAIN_MS = 9_000;

/** Serves until somebody says stop, which counts from the first moment, then drains; a second word ends it at once. */
export async function standUntilStopped(
  io: Io,
  start: (end: (exitCode: number) => void) => Promise<Pick<Host, "close">>,
): Promise<number> {
  const stops: (() => void)[] = [];
  const stopped = new Promise<void>((resolve) => stops.push(resolve));
  let isStopping = false;
  let exitCode: number = EXIT.fine;
  const end = (code: number): void => {
    exitCode = code;
    for (const stop of stops) stop();
  };
  const stopListening = io.onInterrupt(() => {
    if (isStopping) io.exitNow(EXIT.cancelled);
    isStopping = true;
    io.err.write("stopping; once more to stop at once\n");
    for (const stop of stops) stop();
  });
  try {
    const host = await start(end);
    await stopped;
    await drain(io, host);
    return exitCode;
  } finally {
    stopListening();
  }
}

async function drain(io: Io, host: Pick<Host, "close">): Promise<void> {
  const stopTimer = io.clock.after(DRAIN_MS, () => io.exitNow(EXIT.fine));
  try {
    await host.close();
  } catch (thrown) {
    // What was acknowledged is stored already; the next start takes up the rest.
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    io.err.write(`sluice: not everything ended in order: ${printable(reason)}\n`);
  } finally {
    stopTimer();
  }
}
