import cluster from "node:cluster";
import { setFlagsFromString } from "node:v8";
import { EXIT } from "./exit-code.ts";
import type { Host } from "./host.ts";
import type { Io } from "./io.ts";
import type { Log } from "./log.ts";
import { onStopRequest } from "./siblings.ts";

/** A process manager waits ten seconds. Work that is not written by then can be left to the next start. */
export const STOP_MS = 9_000;
/** Shorter limit while the server is starting: it has acknowledged nothing yet, and database preparation may have delayed the request. */
const STOP_STARTING_MS = 4_000;

/**
 * How far the heap grows beyond the live data before garbage is collected. V8's default is three times as much, which
 * costs memory under load and, measured with a backlog of 30,000 runs, saves no time.
 */
const HEAP_GROWTH_PERCENT = 50;

/**
 * Serves until a stop is requested, then drains. A second request ends the process at once. The time limit for stopping
 * counts from the first request, whether the server is starting, serving or waiting for an unreachable database.
 */
export async function serveUntilStopped(
  io: Io,
  log: Log,
  start: (end: (exitCode: number) => void) => Promise<Pick<Host, "close">>,
): Promise<number> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const stop = new Stop(io, log);
  try {
    const host = await start((exitCode) => stop.request(exitCode));
    stop.isStarted = true;
    await stop.requested;
    await host.close();
  } catch (thrown) {
    if (!stop.isRequested) throw thrown;
    // Acknowledged data is already stored. The next start continues the remaining work.
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    log.warn("not everything ended in order", { reason });
  } finally {
    stop.end();
  }
  return stop.exitCode;
}

/** Where several processes serve one port, the parent process reports when this process should stop. */
function onStopSignal(io: Io, request: () => void): () => void {
  return cluster.isWorker ? onStopRequest(request) : io.onInterrupt(request);
}

class Stop {
  readonly requested: Promise<void>;
  isRequested = false;
  isStarted = false;
  exitCode: number = EXIT.fine;
  readonly #io: Io;
  readonly #log: Log;
  readonly #settles: (() => void)[] = [];
  readonly #stopListening: () => void;
  readonly #timers: (() => void)[] = [];

  constructor(io: Io, log: Log) {
    this.#io = io;
    this.#log = log;
    this.requested = new Promise((settle) => this.#settles.push(settle));
    this.#stopListening = onStopSignal(io, () => {
      if (this.isRequested) {
        io.exitNow(EXIT.cancelled);
        return;
      }
      log.info("stopping; a second signal stops at once");
      this.request(EXIT.fine);
    });
  }

  /** Requests the stop. Called on a signal, or by the server itself when it cannot continue. */
  request(exitCode: number): void {
    if (this.isRequested) return;
    this.isRequested = true;
    this.exitCode = exitCode;
    const { clock } = this.#io;
    const leave = (): void => {
      this.#log.warn("not everything ended in time; the next start continues the rest");
      this.#io.exitNow(exitCode);
    };
    this.#timers.push(clock.after(STOP_MS, leave));
    this.#timers.push(clock.after(STOP_STARTING_MS, () => (this.isStarted ? undefined : leave())));
    for (const settle of this.#settles) settle();
  }

  end(): void {
    this.#stopListening();
    for (const stopTimer of this.#timers) stopTimer();
  }
}
