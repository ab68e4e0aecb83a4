import { describe, expect, it } from "vitest";
import type { DrivenRun } from "./driven-run.ts";
import { InputQueue, type Waiting } from "./input-queue.ts";

const input = (): Waiting => ({ input: null, done: () => undefined });
// The queue hands it on and never looks into it.
const FRESH = { run: { orgId: "org", priority: "normal" } } as DrivenRun;

function queueWith(work: number, starts: number): InputQueue {
  const queue = new InputQueue();
  for (let index = 0; index < starts; index += 1) queue.push(`new_${index}`, input(), FRESH);
  for (let index = 0; index < work; index += 1) queue.push(`run_${index}`, input());
  return queue;
}

const split = (queue: InputQueue, runsMax = 300) => {
  const taken = queue.take(runsMax, 600);
  const starts = taken.filter(({ fresh }) => fresh !== null).length;
  return { work: taken.length - starts, starts, taken };
};

describe("what a batch takes", () => {
  it("is every start when there is nothing else to do", () => {
    const queue = queueWith(0, 250);
    expect(split(queue)).toMatchObject({ work: 0, starts: 250 });
  });

  it("is work in flight first, and starts in proportion to it however many wait", () => {
    const queue = queueWith(0, 10_000);
    let work = 0;
    let starts = 0;
    for (let batch = 0; batch < 200; batch += 1) {
      for (let index = 0; index < 50; index += 1) queue.push(`run_${batch}_${index}`, input());
      const { taken, ...counts } = split(queue);
      work += counts.work;
      starts += counts.starts;
      for (const { runId } of taken) queue.release(runId);
    }
    expect(work).toBe(10_000);
    expect(starts).toBeGreaterThan(0);
    expect(starts).toBeLessThanOrEqual(work / 5 + 64);
  });

  it("keeps starts out of a batch that another has the work of, once their share is used up", () => {
    const queue = queueWith(10, 500);
    const first = split(queue);
    expect(first).toMatchObject({ work: 10, starts: 64 });
    expect(split(queue).taken).toEqual([]);
    expect(queue.hasReady).toBe(false);
    for (const { runId } of first.taken) queue.release(runId);
    expect(queue.hasReady).toBe(true);
    expect(split(queue).starts).toBe(300);
  });

  it("leaves starts a small share of a batch that work alone would fill", () => {
    const queue = queueWith(1_000, 1_000);
    expect(split(queue)).toMatchObject({ work: 282, starts: 18 });
  });

  it("is a run once at a time, with everything it received, in order", () => {
    const queue = new InputQueue();
    const [first, second, third] = [input(), input(), input()];
    queue.push("run_1", first);
    queue.push("run_1", second);
    expect(queue.take(10, 10).map(({ waiting }) => waiting)).toEqual([[first, second]]);
    queue.push("run_1", third);
    expect(queue.take(10, 10)).toEqual([]);
    queue.release("run_1", [second]);
    expect(queue.take(10, 10).map(({ waiting }) => waiting)).toEqual([[second, third]]);
    queue.release("run_1");
    expect([queue.size, queue.hasReady]).toEqual([0, false]);
  });
});
