import type { Clock, Stop } from "./clock.ts";

export interface SyncedClockOptions {
  /** The time that all processes of an installation share: the database's. */
  readonly readTime: () => Promise<number>;
  /** The clock of this machine: its timers are used, and its time is only compared. */
  readonly local: Clock;
  /** Milliseconds that only ever grow. */
  readonly monotonic: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const SYNC_EVERY_MS = 10_000;
/** A reading that took longer says little about the moment it was made. */
const ROUND_TRIP_MAX_MS = 1_000;
/** Less than this is how exactly the time of a database can be read, however quick the answer. */
const AGREEING_MS = 100;
/** Database, machine and this clock each count whole milliseconds. */
const ROUNDING_MS = 2;
/** How much a clock that counts on may be wrong by, for each millisecond that it counts. */
const DRIFT = 1e-4;
/** The first reading also connects, and a process that has just begun is slow to receive an answer. */
const FIRST_READINGS = 3;

/**
 * Database time in this process: read now and then, and counted on by a clock that only ever grows. So deadlines, leases
 * and windows mean the same on every replica, whatever their machines believe the time to be, and setting the time of a
 * machine moves none of them.
 */
export class SyncedClock implements Clock {
  readonly #options: SyncedClockOptions;
  #time = 0;
  #readAt = 0;
  /** How wrong the reading may be: it was made at some moment between the question and the answer. */
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

  /** How far the clock of this machine is ahead of database time; negative when it is behind. */
  get skewMs(): number {
    return Math.round(this.#options.local.now() - this.#counted());
  }

  /** As the machine says while it agrees: what it writes elsewhere, and other programs on it, are then in the same time. */
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
    // A slow answer that the reading before it explains is less exact than that one counted on.
    if (errorMs >= keptMs && changeMs <= errorMs + keptMs) return;
    this.#time = time;
    this.#errorMs = errorMs;
    this.#readAt = readAt;
  }

  #counted(): number {
    return Math.floor(this.#time + this.#options.monotonic() - this.#readAt);
  }
}
