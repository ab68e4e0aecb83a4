import { EXIT } from "./exit-code.ts";
import type { Host } from "./host.ts";
import type { Io } from "./io.ts";
import { printable } from "./terminal-text.ts";

/** A process manager waits ten seconds; whatever is not written by then is safe to leave to the next start. */
export const STOP_MS = 9_000;
/** What has not started has promised nothing; and preparing a database may have kept the request waiting for seconds. */
const STOP_STARTING_MS = 4_000;

/**
 * Serves until it is stopped, which may happen at any moment, then drains; a second request ends it at once. The time
 * for stopping counts from the request on, whether it is still starting, serving or waiting for a database that is away.
 */
export async function standUntilStopped(io: Io, start: () => Promise<Pick<Host, "close">>): Promise<number> {
  const stop = new Stop(io);
  try {
    const host = await start();
    stop.isStarted = true;
    await stop.requested;
    await host.close();
  } catch (thrown) {
    if (!stop.isRequested) throw thrown;
    // What was acknowledged is stored already; the next start takes up the rest.
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    io.err.write(`sluice: not everything ended in order: ${printable(reason)}\n`);
  } finally {
    stop.end();
  }
  return EXIT.fine;
}

class Stop {
  readonly requested: Promise<void>;
  isRequested = false;
  isStarted = false;
  readonly #stopListening: () => void;
  readonly #timers: (() => void)[] = [];

  constructor(io: Io) {
    const settles: (() => void)[] = [];
    this.requested = new Promise((settle) => settles.push(settle));
    this.#stopListening = io.onInterrupt(() => {
      if (this.isRequested) {
        io.exitNow(EXIT.cancelled);
        return;
      }
      this.isRequested = true;
      io.err.write("stopping; once more to stop at once\n");
      const leave = (): void => {
        io.err.write("sluice: not everything ended in time; the next start takes up the rest\n");
        io.exitNow(EXIT.fine);
      };
      this.#timers.push(io.clock.after(STOP_MS, leave));
      this.#timers.push(io.clock.after(STOP_STARTING_MS, () => (this.isStarted ? undefined : leave())));
      for (const settle of settles) settle();
    });
  }

  end(): void {
    this.#stopListening();
    for (const stopTimer of this.#timers) stopTimer();
  }
}
