import type { Clock, Stop } from "./clock.ts";

/** Time that passes only when nothing else is left to do: days of waiting take no time, and always go the same way. */
export interface VirtualClock extends Clock {
  /**
   * Lets time pass until `isDone` holds; false when nothing is waiting any more and it still does not. Before each step
   * it waits for `settled`: by default for every promise that can settle by itself.
   */
  run(isDone: () => boolean, settled?: () => Promise<void>): Promise<boolean>;
  /**
   * The same clock for what only looks after things again and again: such alarms can be put off by `skipTo`, and are none
   * that `nextDue` sees.
   */
  readonly background: Clock;
  /** When the next alarm that is not of the background is due; null: there is none. */
  nextDue(): number | null;
  /** Puts alarms of the background off to a later moment, so that nothing happens before it. */
  skipTo(moment: number): void;
  /** Lets time pass until the promise settles, and settles as it does. */
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
      // Handled where it is awaited, which is later than it may fail.
      ended.catch(() => undefined);
      await clock.run(() => isDone, settled);
      return ended;
    },
  };
  return clock;
}

/** One turn of the event loop: every promise that can settle without time passing has settled after it. */
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
