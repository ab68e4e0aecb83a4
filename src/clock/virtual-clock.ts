import type { Clock, Stop } from "./clock.ts";

/** Simulated time that advances only when no other work is left. Days of waiting take no real time, and always happen in the same order. */
export interface VirtualClock extends Clock {
  /**
   * Advances time until `isDone` holds. Returns false when no alarm is left and it still does not hold. Before each step
   * it waits for `settled`, by default for every promise that can settle without time passing.
   */
  run(isDone: () => boolean, settled?: () => Promise<void>): Promise<boolean>;
  /** The same clock for periodic background checks. `skipTo` can delay its alarms, and `nextDue` ignores them. */
  readonly background: Clock;
  /** Moment of the next alarm that is not in the background. Null when there is none. */
  nextDue(): number | null;
  /** Delays background alarms to a later moment, so that none fires before it. */
  skipTo(moment: number): void;
  /** Advances time until the promise settles, and settles with its result. */
  settle<T>(promise: Promise<T>, settled?: () => Promise<void>): Promise<T>;
}

interface Alarm {
  readonly isBackground: boolean;
  dueAt: number;
  readonly order: number;
  fire: (() => void) | null;
}

export function createVirtualClock(startAt: number): VirtualClock {
  let heap: Alarm[] = [];
  let time = startAt;
  let order = 0;
  const after = (isBackground: boolean, delayMs: number, fire: () => void): Stop => {
    const alarm: Alarm = { isBackground, dueAt: time + Math.max(0, delayMs), order: (order += 1), fire };
    push(heap, alarm);
    return () => {
      alarm.fire = null;
    };
  };
  const clock: VirtualClock = {
    now: () => time,
    after: (delayMs, fire) => after(false, delayMs, fire),
    background: { now: () => time, after: (delayMs, fire) => after(true, delayMs, fire) },
    nextDue() {
      let first: number | null = null;
      for (const { isBackground, dueAt, fire } of heap) {
        if (!isBackground && fire !== null && (first === null || dueAt < first)) first = dueAt;
      }
      return first;
    },
    skipTo(moment) {
      const before = heap;
      heap = [];
      for (const alarm of before) {
        if (alarm.isBackground) alarm.dueAt = Math.max(alarm.dueAt, moment);
        push(heap, alarm);
      }
    },
    async run(isDone, settled = settlePromises) {
      for (;;) {
        await settled();
        if (isDone()) return true;
        const next = popLive(heap);
        if (next === undefined) return false;
        time = next.dueAt;
        next.fire();
      }
    },
    async settle(promise, settled) {
      let isDone = false;
      const ended = promise.finally(() => {
        isDone = true;
      });
      // The rejection is handled by the later await. Without this it would count as unhandled before then.
      ended.catch(() => undefined);
      await clock.run(() => isDone, settled);
      return ended;
    },
  };
  return clock;
}

/** Waits for one turn of the event loop, after which every promise that needs no time has settled. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function popLive(heap: Alarm[]): { readonly dueAt: number; readonly fire: () => void } | undefined {
  for (;;) {
    const alarm = pop(heap);
    if (alarm === undefined) return undefined;
    if (alarm.fire !== null) return { dueAt: alarm.dueAt, fire: alarm.fire };
  }
}

function isEarlier(left: Alarm, right: Alarm): boolean {
  return left.dueAt < right.dueAt || (left.dueAt === right.dueAt && left.order < right.order);
}

function push(heap: Alarm[], alarm: Alarm): void {
  let place = heap.length;
  heap.push(alarm);
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isEarlier(alarm, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = alarm;
}

function pop(heap: Alarm[]): Alarm | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let place = 0;
  for (;;) {
    const left = heap[2 * place + 1];
    const right = heap[2 * place + 2];
    if (left === undefined) break;
    const isRight = right !== undefined && isEarlier(right, left);
    const child = isRight ? right : left;
    if (!isEarlier(child, last)) break;
    heap[place] = child;
    place = 2 * place + (isRight ? 2 : 1);
  }
  heap[place] = last;
  return first;
}
