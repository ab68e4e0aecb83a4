import { describe, expect, it } from "vitest";
import { creation, openAttempt } from "../../test/contracts/shares.ts";
import { createVirtualClock } from "../clock/index.ts";
import { claimBody } from "../contract/index.ts";
import { createMemoryStore, type Store } from "../store/index.ts";
import { openWork } from "./index.ts";
import type { Poll, PollAnswer } from "./poll.ts";

const WORKER = { workerId: "wrk_1", functions: ["f"] };

describe("a worker without work", () => {
  it("waits 25 s in one request, so that it makes less than one in 20 s", async () => {
    const clock = createVirtualClock(0);
    const troubles: string[] = [];
    const store = createMemoryStore({ now: () => clock.now() });
    const { queue } = openWork({ store, clock, onTrouble: (what) => void troubles.push(what) });
    // As a worker sends it that says nothing of its own about waiting.
    const { waitMs, limit } = claimBody.parse(WORKER);
    let answeredAt: number | null = null;
    const { signal } = new AbortController();
    void queue.poll({ ...WORKER, orgId: "default", limit, waitMs, signal }).then((answer) => {
      expect(answer).toEqual({ work: [], cancelled: [] });
      answeredAt = clock.now();
    });
    await clock.run(() => answeredAt !== null);
    expect(answeredAt).toBe(25_000);
    expect([queue.pollCount, troubles]).toEqual([0, []]);
  });

  it("is answered at once when the server stops or the worker has gone", async () => {
    const clock = createVirtualClock(0);
    const { queue } = openWork({ store: createMemoryStore(), clock, onTrouble: () => undefined });
    const gone = new AbortController();
    const poll = { ...WORKER, orgId: "default", limit: 1, waitMs: 25_000 };
    const polls = [poll, poll].map((one, at) =>
      queue.poll({ ...one, signal: at === 0 ? gone.signal : new AbortController().signal }),
    );
    gone.abort();
    await polls[0];
    queue.stop();
    await polls[1];
    expect(clock.now()).toBe(0);
  });
});

/** A queue over a store whose claims wait while `isSlow`. */
async function workshop(
  nodes: readonly string[],
  { isOnce = false, ...parts }: { isOnce?: boolean } & Partial<Store> = {},
) {
  const clock = createVirtualClock(0);
  const memory = createMemoryStore({ now: () => clock.now() });
  const troubles: string[] = [];
  const claims: (() => void)[] = [];
  const slow = { isSlow: false };
  const claimWork: Store["claimWork"] = async (...given) => {
    if (slow.isSlow) await new Promise<void>((resolve) => claims.push(resolve));
    return memory.claimWork(...given);
  };
  const store = { ...memory, claimWork, ...parts };
  const { queue } = openWork({ store, clock, onTrouble: (what) => void troubles.push(what) });
  const offer = async (runId: string, names: readonly string[]): Promise<void> => {
    const opened = names.map((nodeId) =>
      openAttempt(nodeId, { work: { function: "f", isOnce, request: { node: nodeId } } }),
    );
    await memory.commit([creation(runId, {}, { opened })]);
  };
  await offer("run_1", nodes);
  const poll = (workerId: string, more: Partial<Poll> = {}): Promise<PollAnswer> =>
    queue.poll({
      orgId: "org_1",
      workerId,
      functions: ["f"],
      limit: 1,
      waitMs: 25_000,
      signal: new AbortController().signal,
      ...more,
    });
  /** Lets time pass until a claim is under way. */
  const claiming = async (): Promise<void> => {
    slow.isSlow = true;
    await clock.run(() => claims.length > 0);
  };
  /** Ends the claim that is under way. Later ones do not wait. */
  const claimed = (): void => {
    slow.isSlow = false;
    for (const end of claims.splice(0)) end();
  };
  const wait = <T>(promise: Promise<T>): Promise<T> => clock.settle(promise);
  return { clock, queue, troubles, offer, poll, claiming, claimed, wait };
}

const nodesOf = ({ work }: PollAnswer): readonly unknown[] => work.map(({ node }) => node);

describe("work that is claimed for a poll that does not wait for it any more", () => {
  it("is given to the next poll when a cancellation was the answer", async () => {
    const on = await workshop(["a"]);
    expect(nodesOf(await on.wait(on.poll("w1")))).toEqual(["a"]);
    await on.offer("run_2", ["b"]);
    const second = on.poll("w1");
    await on.claiming();
    on.queue.cancelled("run_1/a/1");
    expect(await second).toEqual({ work: [], cancelled: ["run_1/a/1"] });
    const third = on.poll("w1");
    on.claimed();
    expect(nodesOf(await on.wait(third))).toEqual(["b"]);
    expect([on.clock.now(), on.troubles]).toEqual([0, []]);
  });

  it("is given to another worker when the connection was lost, also work that may be done only once", async () => {
    const on = await workshop(["a"], { isOnce: true });
    const gone = new AbortController();
    const lost = on.poll("w1", { signal: gone.signal });
    await on.claiming();
    gone.abort();
    expect(nodesOf(await lost)).toEqual([]);
    const other = on.poll("w2");
    on.claimed();
    expect(nodesOf(await on.wait(other))).toEqual(["a"]);
    expect(on.clock.now()).toBe(0);
  });

  it("is given to another worker when its worker has left", async () => {
    const on = await workshop(["a"]);
    const left = on.poll("w1");
    await on.claiming();
    const leaving = on.queue.leave("org_1", "w1", []);
    expect(nodesOf(await left)).toEqual([]);
    await on.wait(leaving);
    const other = on.poll("w2");
    on.claimed();
    expect(nodesOf(await on.wait(other))).toEqual(["a"]);
    expect(on.clock.now()).toBe(0);
  });

  it("waits for the hold to end when it cannot be released, and the queue continues", async () => {
    const returnWork = () => Promise.reject(new Error("away"));
    const on = await workshop(["a"], { returnWork });
    const gone = new AbortController();
    const lost = on.poll("w1", { signal: gone.signal });
    await on.claiming();
    gone.abort();
    await lost;
    const other = on.poll("w2");
    on.claimed();
    expect(nodesOf(await on.wait(other))).toEqual(["a"]);
    expect(on.clock.now()).toBeGreaterThan(15_000);
    expect(on.troubles).toEqual(["work that reached no worker could not be released"]);
  });
});

describe("a poll", () => {
  it("that left while work was claimed for another gets nothing claimed", async () => {
    const on = await workshop(["a", "b"]);
    const first = on.poll("w1", { functions: ["g"] });
    const gone = new AbortController();
    const second = on.poll("w2", { signal: gone.signal });
    await on.claiming();
    gone.abort();
    await second;
    const third = on.poll("w3", { limit: 2 });
    on.claimed();
    expect(nodesOf(await on.wait(third))).toEqual(["a", "b"]);
    expect(on.clock.now()).toBe(0);
    on.queue.stop();
    await first;
  });

  it("gets no more than its limit when its worker has another one", async () => {
    const on = await workshop(["a", "b", "c"]);
    const answers = await on.wait(Promise.all([on.poll("w1"), on.poll("w1", { limit: 2 })]));
    expect(answers.map(({ work }) => work.length)).toEqual([1, 2]);
    expect(new Set(answers.flatMap(nodesOf))).toEqual(new Set(["a", "b", "c"]));
  });

  it("that does not wait gets the work that is there", async () => {
    const on = await workshop(["a"]);
    expect(nodesOf(await on.wait(on.poll("w1", { waitMs: 0 })))).toEqual(["a"]);
    expect(nodesOf(await on.wait(on.poll("w1", { waitMs: 0 })))).toEqual([]);
  });

  it("learns of cancellations in its own organisation only", async () => {
    const on = await workshop(["a"]);
    await on.wait(on.poll("w1"));
    const stranger = on.poll("w1", { orgId: "org_2" });
    const own = on.poll("w1");
    on.queue.cancelled("run_1/a/1");
    expect((await own).cancelled).toEqual(["run_1/a/1"]);
    on.queue.stop();
    expect((await stranger).cancelled).toEqual([]);
  });
});
