import cluster from "node:cluster";
import { setFlagsFromString } from "node:v8";
import { EXIT } from "./exit-code.ts";
import type { Host } from "./host.ts";
import type { Io } from "./io.ts";
import type { Log } from "./log.ts";
import { onStopRequest } from "./siblings.ts";

/** A process manager waits ten seconds; whatever is not written by then is safe to leave to the next start. */
export const STOP_MS = 9_000;
/** What has not started has promised nothing; and preparing a database may have kept the request waiting for seconds. */
const STOP_STARTING_MS = 4_000;

/**
 * How far the heap grows beyond what is alive before it is collected. V8 lets it grow to three times as much, which costs
 * memory under load and, measured with a backlog of 30,000 runs, saves no time.
 */
const HEAP_GROWTH_PERCENT = 50;

/**
 * Serves until it is stopped, which may happen at any moment, then drains; a second request ends it at once. The time
 * for stopping counts from the request on, whether it is still starting, serving or waiting for a database that is away.
 */
export async function standUntilStopped(
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
    // What was acknowledged is stored already; the next start takes up the rest.
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    log.warn("not everything ended in order", { reason });
  } finally {
    stop.end();
  }
  return stop.exitCode;
}

/** Where several processes serve one port, the one that started them says when this one stops. */
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
      log.info("stopping; once more to stop at once");
      this.request(EXIT.fine);
    });
  }

  /** By a signal, or by the server itself when it cannot continue. */
  request(exitCode: number): void {
    if (this.isRequested) return;
    this.isRequested = true;
    this.exitCode = exitCode;
    const { clock } = this.#io;
    const leave = (): void => {
      this.#log.warn("not everything ended in time; the next start takes up the rest");
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
