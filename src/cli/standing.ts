import { EXIT } from "./exit-code.ts";
import type { Host } from "./host.ts";
import type { Io } from "./io.ts";

/** A process manager waits ten seconds; whatever is not written by then is safe to leave to the next start. */
const DRAIN_MS = 9_000;

/** Serves until somebody says stop, then drains; a second word ends it at once. */
export async function standUntilStopped(io: Io, host: Host, beforeClose: () => void): Promise<number> {
  const stopped = new Promise<void>((resolve) => {
    let isStopping = false;
    io.onInterrupt(() => {
      if (isStopping) io.exitNow(EXIT.cancelled);
      isStopping = true;
      resolve();
    });
  });
  await stopped;
  io.err.write("stopping; once more to stop at once\n");
  beforeClose();
  const stopTimer = io.clock.after(DRAIN_MS, () => io.exitNow(EXIT.fine));
  await host.close();
  stopTimer();
  return EXIT.fine;
}
