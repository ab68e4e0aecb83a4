import { describe, expect, it } from "vitest";
import type { DrivenRun } from "./driven-run.ts";
import type { QueuedRun } from "./fair-queue.ts";
import { InputQueue, type Waiting } from "./input-queue.ts";

const input = (): Waiting => ({ input: null, done: () => undefined });
// The queue hands it on and never looks into it.
const OWNER = { orgId: "org", priority: "normal" } as const;
const freshOf = (owner: QueuedRun, parentRunId: string | null = null): DrivenRun =>
  ({ run: { ...owner, parentRunId } }) as DrivenRun;
const FRESH = freshOf(OWNER);

function queueWith(work: number, starts: number, hasBacklog = () => false): InputQueue {
  const queue = new InputQueue(() => OWNER, hasBacklog);
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

  it("is work in flight first, and starts fill what is left, so that no batch is smaller than it need be", () => {
    const queue = queueWith(50, 500);
    expect(split(queue)).toMatchObject({ work: 50, starts: 250 });
    expect(split(queue)).toMatchObject({ work: 0, starts: 250 });
  });

  it("keeps two batches full and lets few more runs begin, however many wait", () => {
    const queue = queueWith(0, 10_000);
    const workLeft = new Map<string, number>();
    const release = (taken: ReturnType<InputQueue["take"]>): void => {
      for (const { runId, fresh } of taken) {
        queue.release(runId);
        const left = fresh === null ? (workLeft.get(runId) ?? 0) - 1 : 5;
        if (left === 0) workLeft.delete(runId);
        else {
          workLeft.set(runId, left);
          queue.push(runId, input());
        }
      }
    };
    let open = 0;
    let other = queue.take(100, 600);
    for (let batch = 0; batch < 300; batch += 1) {
      const taken = queue.take(100, 600);
      expect(taken).toHaveLength(100);
      release(other);
      other = taken;
      open = Math.max(open, workLeft.size);
    }
    expect(open).toBeLessThan(400);
  });

  it("leaves starts a small share of a batch that work alone would fill", () => {
    const queue = queueWith(1_000, 1_000);
    expect(split(queue)).toMatchObject({ work: 267, starts: 33 });
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

describe("what a batch takes while nodes wait for a limit", () => {
  const hasBacklog = () => true;

  it("is one start for eight runs in flight, and nothing but starts only when no run in flight is in a batch", () => {
    const queue = queueWith(50, 500, hasBacklog);
    const first = split(queue);
    expect(first).toMatchObject({ work: 50, starts: 6 });
    expect([queue.hasReady, queue.take(300, 600)]).toEqual([false, []]);
    for (const { runId } of first.taken) queue.release(runId);
    expect(queue.hasReady).toBe(true);
    expect([split(queue).starts, split(queue).starts]).toEqual([300, 194]);
  });

  it("is that share of starts also over batches that are small", () => {
    const queue = queueWith(0, 100, hasBacklog);
    queue.push("run", input());
    queue.take(1, 600);
    let starts = 0;
    for (let batch = 0; batch < 40; batch += 1) {
      queue.push(`run_${batch}`, input());
      const counts = split(queue);
      starts += counts.starts;
      for (const { runId } of counts.taken) queue.release(runId);
    }
    expect(starts).toBe(5);
  });

  it("has starts in it however much work comes", () => {
    const queue = queueWith(1_000, 1_000, hasBacklog);
    expect(split(queue)).toMatchObject({ work: 267, starts: 33 });
  });

  it("is filled with starts again as soon as none waits", () => {
    let isWaiting = true;
    const queue = queueWith(5, 100, () => isWaiting);
    expect(split(queue)).toMatchObject({ work: 5, starts: 0 });
    isWaiting = false;
    queue.push("run_5", input());
    expect(split(queue)).toMatchObject({ work: 1, starts: 100 });
  });

  it("is child runs like runs in flight, which wait for them", () => {
    const queue = queueWith(0, 500, hasBacklog);
    queue.push("parent", input());
    queue.push("child", input(), freshOf(OWNER, "parent"));
    expect(split(queue).taken.map(({ runId }) => runId)).toEqual(["parent", "child"]);
  });

  it("counts what has become of a run since it was queued for what it was queued for", () => {
    const queue = new InputQueue(() => OWNER, hasBacklog);
    queue.push("child", input());
    queue.push("child", input(), FRESH);
    for (const { runId } of queue.take(10, 10)) queue.release(runId);
    queue.push("new", input(), FRESH);
    expect(split(queue)).toMatchObject({ work: 0, starts: 1 });
  });
});

describe("a batch of several organisations", () => {
  /** Runs are named after their organisations: `a_1`. */
  const ownerOf = (runId: string) => ({ orgId: runId.slice(0, 1), priority: "normal" }) as const;
  const push = (queue: InputQueue, orgId: string, from: number, to: number): void => {
    for (let index = from; index < to; index += 1) queue.push(`${orgId}_${index}`, input());
  };
  const start = (queue: InputQueue, runId: string): void => queue.push(runId, input(), freshOf(ownerOf(runId)));
  const idsOf = (taken: ReturnType<InputQueue["take"]>): string[] => taken.map(({ runId }) => runId);

  it("has runs of each in turn", () => {
    const queue = new InputQueue(ownerOf);
    push(queue, "a", 0, 40);
    push(queue, "b", 0, 2);
    expect(idsOf(queue.take(300, 600)).slice(0, 5)).toEqual(["a_0", "b_0", "a_1", "b_1", "a_2"]);
  });

  it("is for organisations of which others have nothing, if there are any", () => {
    const queue = new InputQueue(ownerOf);
    push(queue, "a", 0, 10);
    queue.take(300, 600);
    expect(queue.hasIdleOrganisation).toBe(false);
    push(queue, "a", 10, 20);
    expect(queue.hasIdleOrganisation).toBe(false);
    push(queue, "b", 0, 3);
    expect(queue.hasIdleOrganisation).toBe(true);
    expect(idsOf(queue.take(300, 600))).toEqual(["b_0", "b_1", "b_2"]);
    expect(queue.hasIdleOrganisation).toBe(false);
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
    expect(queue.take(300, 600)).toHaveLength(16);
  });

  it("begins runs of one that has nothing else to do, whatever another has in flight", () => {
    const queue = new InputQueue(ownerOf);
    push(queue, "a", 0, 10);
    for (let index = 0; index < 500; index += 1) start(queue, `a_new_${index}`);
    expect(queue.take(300, 600)).toHaveLength(300);
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
