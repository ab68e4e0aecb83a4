import { describe, expect, it } from "vitest";
import { createVirtualClock } from "../clock/index.ts";
import { claimBody } from "../contract/index.ts";
import { createMemoryStore } from "../store/index.ts";
import { openWork } from "./index.ts";

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
