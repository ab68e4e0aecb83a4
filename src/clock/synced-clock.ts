import type { Clock, Stop } from "./clock.ts";

export interface SyncedClockOptions {
  /** Reads the database time, which all processes of an installation share. */
  readonly readTime: () => Promise<number>;
  /** Clock of this machine. Its timers are used, and its time is only compared with database time. */
  readonly local: Clock;
  /** Monotonic time in milliseconds. */
  readonly monotonic: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const SYNC_EVERY_MS = 10_000;
/** Longest accepted duration of a reading. With a slower answer, the moment of the reading is too uncertain. */
const ROUND_TRIP_MAX_MS = 1_000;
/** Difference up to which the machine counts as correct. The time of a database cannot be read more exactly than this. */
const AGREEING_MS = 100;
/** Rounding error: database, machine and this clock each count whole milliseconds. */
const ROUNDING_MS = 2;
/** Possible error of the extrapolated time per elapsed millisecond. */
const DRIFT = 1e-4;
/** Number of readings at the start. The first one is slow because it also opens the connection, and a new process reacts slowly. */
const FIRST_READINGS = 3;

/**
 * Database time in this process. It is read regularly and extrapolated with a monotonic clock. Deadlines, leases and
 * windows therefore mean the same on every replica, and changing the time of a machine does not move them.
 */
export class SyncedClock implements Clock {
  readonly #options: SyncedClockOptions;
  #time = 0;
  #readAt = 0;
  /** Possible error of the reading, which was made at an unknown moment between request and answer. */
  #errorMs = Infinity;
  #stop: Stop | null = null;
  #isStopped = false;

  private constructor(options: SyncedClockOptions) {
    this.#options = options;
  }

  static async open(options: SyncedClockOptions): Promise<SyncedClock> {
    const clock = new SyncedClock(options);
    await clock.#read(Infinity);
    for (let read = 1; read < FIRST_READINGS && clock.#errorMs > AGREEING_MS; read += 1) {
      await clock.#read(2 * clock.#errorMs);
    }
    clock.#schedule();
    return clock;
  }

  /** How far the clock of this machine is ahead of database time. Negative when it is behind. */
  get skewMs(): number {
    return Math.round(this.#options.local.now() - this.#counted());
  }

  /** Returns the machine's time while it agrees with database time, so that other programs on the machine have the same time. */
  now(): number {
    const counted = this.#counted();
    const local = this.#options.local.now();
    return Math.abs(local - counted) <= Math.max(AGREEING_MS, this.#errorMs) ? local : counted;
  }

  after(delayMs: number, fire: () => void): Stop {
    return this.#options.local.after(delayMs, fire);
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop?.();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#stop = this.#options.local.after(SYNC_EVERY_MS, () => {
      this.#read(ROUND_TRIP_MAX_MS)
        .catch((error: unknown) => this.#options.onTrouble("the time of the database could not be read", error))
        .finally(() => this.#schedule());
    });
  }

  async #read(roundTripMaxMs: number): Promise<void> {
    const { readTime, monotonic } = this.#options;
    const before = monotonic();
    const time = await readTime();
    const after = monotonic();
    if (after - before > roundTripMaxMs) return;
    const readAt = (before + after) / 2;
    const errorMs = readAt - before + ROUNDING_MS;
    const keptMs = this.#errorMs + (readAt - this.#readAt) * DRIFT;
    const changeMs = Math.abs(time - this.#time - (readAt - this.#readAt));
    // Ignore a less exact reading that is consistent with the extrapolated time, because that is more exact.
    if (errorMs >= keptMs && changeMs <= errorMs + keptMs) return;
    this.#time = time;
    this.#errorMs = errorMs;
    this.#readAt = readAt;
  }

  #counted(): number {
    return Math.floor(this.#time + this.#options.monotonic() - this.#readAt);
  }
}
