import { describe, expect, it } from "vitest";
import type { DrivenRun } from "./driven-run.ts";
import { InputQueue, type Waiting } from "./input-queue.ts";

const input = (): Waiting => ({ input: null, done: () => undefined });
// The queue hands it on and never looks into it.
const OWNER = { orgId: "org", priority: "normal" } as const;
const FRESH = { run: OWNER } as DrivenRun;

function queueWith(work: number, starts: number): InputQueue {
  const queue = new InputQueue(() => OWNER);
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

describe("a batch of several organisations", () => {
  /** Runs are named after their organisations: `a_1`. */
  const ownerOf = (runId: string) => ({ orgId: runId.slice(0, 1), priority: "normal" }) as const;
  const push = (queue: InputQueue, orgId: string, from: number, to: number): void => {
    for (let index = from; index < to; index += 1) queue.push(`${orgId}_${index}`, input());
  };
  const start = (queue: InputQueue, runId: string): void =>
    queue.push(runId, input(), { run: ownerOf(runId) } as DrivenRun);
  const idsOf = (taken: ReturnType<InputQueue["take"]>): string[] => taken.map(({ runId }) => runId);

  it("is over with the round that gives one all it waits for, and leaves the rest of another to the next", () => {
    const queue = new InputQueue(ownerOf);
    push(queue, "a", 0, 40);
    push(queue, "b", 0, 2);
    expect(idsOf(queue.take(300, 600))).toEqual(["a_0", "b_0", "a_1", "b_1"]);
    expect(queue.take(300, 600)).toHaveLength(38);
  });

  it("has all there is when little would be left", () => {
    const queue = new InputQueue(ownerOf);
    push(queue, "a", 0, 12);
    push(queue, "b", 0, 10);
    expect(queue.take(300, 600)).toHaveLength(22);
  });

  it("is for organisations of which others have nothing, if there are any", () => {
    const queue = new InputQueue(ownerOf);
    push(queue, "a", 0, 10);
    queue.take(300, 600);
    expect(queue.hasApart).toBe(false);
    push(queue, "a", 10, 20);
    expect(queue.hasApart).toBe(false);
    push(queue, "b", 0, 3);
    expect(queue.hasApart).toBe(true);
    expect(idsOf(queue.take(300, 600))).toEqual(["b_0", "b_1", "b_2"]);
    expect(queue.hasApart).toBe(false);
    push(queue, "b", 3, 4);
    expect(idsOf(queue.take(2, 600))).toEqual(["a_10", "b_3"]);
  });

  it("has few inputs, and so have those that follow, so that one that comes waits for little", () => {
    const queue = new InputQueue(ownerOf);
    push(queue, "a", 0, 200);
    expect(queue.take(150, 600)).toHaveLength(150);
    push(queue, "b", 0, 1);
    expect(queue.take(300, 600)).toHaveLength(1);
    queue.release("b_0");
    push(queue, "a", 200, 400);
    expect(queue.take(300, 600)).toHaveLength(64);
  });

  it("begins runs of one that has nothing else to do, whatever another has in flight", () => {
    const queue = new InputQueue(ownerOf);
    push(queue, "a", 0, 10);
    for (let index = 0; index < 500; index += 1) start(queue, `a_new_${index}`);
    expect(queue.take(300, 600)).toHaveLength(74);
    expect(queue.hasReady).toBe(false);
    start(queue, "b_new");
    expect(idsOf(queue.take(300, 600))).toEqual(["b_new"]);
  });

  it("counts runs of no known organisation for none", () => {
    const queue = new InputQueue((runId) => (runId.startsWith("a") ? ownerOf(runId) : undefined));
    push(queue, "a", 0, 200);
    push(queue, "x", 0, 200);
    expect(queue.take(300, 600)).toHaveLength(300);
  });
});
