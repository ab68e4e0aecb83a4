import type { Clock, Stop } from "../../clock/index.ts";
import { type Timer, timerKey } from "../../core/engine/index.ts";
import type { DueTimers } from "./due-timers.ts";

/**
 * Deadlines known to this process, fired on time from memory. The database holds them too and catches those missed here. Nearly
 * all are cleared long before they are due, so a waiting one costs a map entry, not a timer: only those due within the next
 * second have a timer of their own.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #due: Pick<DueTimers, "fire">;
  /** By the second in which they are due. */
  readonly #later = new Map<number, Map<string, Entry>>();
  readonly #soon = new Map<string, { readonly stop: Stop }>();
  readonly #dueByKey = new Map<string, number>();
  #stopTick: Stop | null = null;

  constructor(clock: Clock, due: Pick<DueTimers, "fire">) {
    this.#clock = clock;
    this.#due = due;
  }

  set(runId: string, timer: Timer, dueAt: number): void {
    const key = keyOf(runId, timer);
    this.#forget(key);
    if (this.#dueByKey.size >= KEPT_MAX && dueAt - this.#clock.now() > NEAR_MS) return;
    this.#dueByKey.set(key, dueAt);
    const entry = { runId, timer, dueAt };
    if (dueAt - this.#clock.now() < SECOND_MS) this.#arm(key, entry);
    else this.#putLater(key, entry);
    this.#stopTick ??= this.#clock.after(SECOND_MS / 2, () => this.#tick());
  }

  has(runId: string, timer: Timer): boolean {
    return this.#dueByKey.has(keyOf(runId, timer));
  }

  clear(runId: string, timer: Timer): void {
    this.#forget(keyOf(runId, timer));
  }

  /** Returns the earliest known deadline. Null when there is none. */
  next(): number | null {
    let first: number | null = null;
    for (const dueAt of this.#dueByKey.values()) if (first === null || dueAt < first) first = dueAt;
    return first;
  }

  stop(): void {
    this.#stopTick?.();
    for (const { stop } of this.#soon.values()) stop();
  }

  #putLater(key: string, entry: Entry): void {
    const second = Math.floor(entry.dueAt / SECOND_MS);
    const bucket = this.#later.get(second);
    if (bucket === undefined) this.#later.set(second, new Map([[key, entry]]));
    else bucket.set(key, entry);
  }

  #arm(key: string, entry: Entry): void {
    const stop = this.#clock.after(Math.max(0, entry.dueAt - this.#clock.now()), () => {
      this.#forget(key);
      this.#due.fire(entry.runId, entry.timer);
    });
    this.#soon.set(key, { stop });
  }

  #forget(key: string): void {
    const dueAt = this.#dueByKey.get(key);
    if (dueAt === undefined) return;
    this.#dueByKey.delete(key);
    const second = Math.floor(dueAt / SECOND_MS);
    const bucket = this.#later.get(second);
    if (bucket?.delete(key) === true && bucket.size === 0) this.#later.delete(second);
    this.#soon.get(key)?.stop();
    this.#soon.delete(key);
  }

  #tick(): void {
    const horizon = Math.floor((this.#clock.now() + SECOND_MS) / SECOND_MS);
    for (const [second, bucket] of this.#later) {
      if (second > horizon) continue;
      this.#later.delete(second);
      for (const [key, entry] of bucket) this.#arm(key, entry);
    }
    this.#stopTick = this.#dueByKey.size === 0 ? null : this.#clock.after(SECOND_MS / 2, () => this.#tick());
  }
}

const SECOND_MS = 1_000;
/** Beyond this number, only deadlines that are due soon are kept. The others are found in the database when due. */
const KEPT_MAX = 20_000;
const NEAR_MS = 60_000;

interface Entry {
  readonly runId: string;
  readonly timer: Timer;
  readonly dueAt: number;
}

/** Every attempt has a deadline and few nodes have another one, so the key of an attempt is built cheaply. */
function keyOf(runId: string, timer: Timer): string {
  return timer.kind === "attempt" ? `${runId}/${timer.attempt}/${timer.nodeId}` : `${runId}/${timerKey(timer)}`;
}
