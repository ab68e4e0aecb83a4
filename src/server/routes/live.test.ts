import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi, GATED, HELLO, STRANGER } from "../../../test/api/fixture.ts";
import { type LiveMessage, readLive } from "../../client/index.ts";

let api: Api;
let aborts: AbortController[];
beforeEach(async () => {
  api = await createApi({ tailMs: 5 });
  aborts = [];
  await api.save(HELLO);
  await api.save(GATED);
});
afterEach(async () => {
  for (const abort of aborts) abort.abort();
  expect(api.troubles).toEqual([]);
  await api.close();
});

/** Messages of a stream, until one fits. */
function listen(runs: Readonly<Record<string, number>> = {}, key = "slk_admin_of_the_first_organisation") {
  const abort = new AbortController();
  aborts.push(abort);
  const fetch = ((path: string, init: RequestInit) => api.app.request(path, init)) as typeof globalThis.fetch;
  const messages = readLive({ url: "", fetch, key }, new Map(Object.entries(runs)), abort.signal);
  const received: LiveMessage[] = [];
  return {
    received,
    abort,
    async until(fits: (message: LiveMessage) => boolean): Promise<LiveMessage> {
      for (;;) {
        const { done, value } = await messages.next();
        if (done === true) throw new Error("the stream ended");
        if (value.type === "heartbeat") continue;
        received.push(value);
        if (fits(value)) return value;
      }
    },
  };
}

const isHello = ({ type }: LiveMessage): boolean => type === "hello";

describe("the live stream", () => {
  it("says hello, then what becomes of runs that begin afterwards", async () => {
    await api.run("hello", { who: "before" });
    const live = listen();
    await live.until(isHello);
    expect(live.received).toEqual([{ type: "hello" }]);
    const runId = await api.run("hello", { who: "Ada" });
    const ended = await live.until((message) => message.type === "run" && message.run.status === "completed");
    expect(ended).toMatchObject({ run: { id: runId, workflow: "hello", completedAt: expect.any(String) } });
    expect(live.received.filter(({ type }) => type === "event")).toEqual([]);
  });

  it("sends the events of the runs named, after their cursors, without gap or repeat, with the frames of the log", async () => {
    const first = await api.run("hello", { who: "Ada" });
    const second = await api.run("gated");
    const live = listen({ [first]: 3, [second]: 0, run_unknown: 0 });
    await live.until(isHello);
    const [approval] = (await api.request("GET", "approvals?status=pending")).body.data;
    await api.request("POST", `approvals/${approval.id}/resolve`, { body: { decision: "approve" } });
    await live.until(
      (message) => message.type === "event" && message.frame.type === "run.completed" && message.runId === second,
    );
    for (const [runId, after] of [
      [first, 3],
      [second, 0],
    ] as const) {
      const log = (await api.request("GET", `runs/${runId}/events?limit=100&afterEventId=${after}`)).body.data;
      const frames = live.received.flatMap((message) =>
        message.type === "event" && message.runId === runId ? [message.frame] : [],
      );
      expect(frames).toEqual(log);
    }
  });

  it("reports which approvals wait, to those who may know", async () => {
    const live = listen();
    const blind = listen({}, await api.key(["run:read"]));
    await Promise.all([live.until(isHello), blind.until(isHello)]);
    const runId = await api.run("gated");
    const asked = await live.until(({ type }) => type === "approval");
    const { data } = (await api.request("GET", "approvals?status=pending")).body;
    expect(asked).toEqual({ type: "approval", runId, pending: [data[0].id] });
    await api.request("POST", `approvals/${data[0].id}/resolve`, { body: { decision: "reject", reason: "no" } });
    const answered = await live.until(({ type }) => type === "approval");
    expect(answered).toEqual({ type: "approval", runId, pending: [] });
    await blind.until((message) => message.type === "run" && message.run.status === "failed");
    expect(blind.received.some(({ type }) => type === "approval")).toBe(false);
  });

  it("reports which launches wait, to those who may know, until they are answered", async () => {
    const posture = (to: string) =>
      api.request("POST", "apply", {
        body: [{ kind: "Workflow", name: "hello", spec: { source: HELLO, posture: to } }],
      });
    const live = listen();
    const blind = listen({}, await api.key(["run:read"]));
    const other = listen({}, STRANGER);
    await Promise.all([live, blind, other].map((each) => each.until(isHello)));
    await posture("approval_required");
    const refused = await api.request("POST", "runs", { body: { workflow: "hello", args: { who: "Ada" } } });
    expect(refused.status).toBe(403);
    const { data } = (await api.request("GET", "approvals?status=pending")).body;
    const asked = await live.until(({ type }) => type === "approval");
    expect(asked).toEqual({ type: "approval", runId: null, pending: [data[0].id] });
    const late = listen();
    await late.until(isHello);
    await api.request("POST", `approvals/${data[0].id}/resolve`, { body: { decision: "reject", reason: "no" } });
    const answered = { type: "approval", runId: null, pending: [] };
    expect(await live.until(({ type }) => type === "approval")).toEqual(answered);
    expect(await late.until(({ type }) => type === "approval")).toEqual(answered);
    await posture("bounded_autonomous");
    await api.run("hello", { who: "Ada" });
    await blind.until((message) => message.type === "run" && message.run.status === "completed");
    for (const { received } of [blind, other]) expect(received.some(({ type }) => type === "approval")).toBe(false);
  });

  it("reports nothing to another organisation", async () => {
    const runId = await api.run("gated");
    const other = listen({ [runId]: 0 }, STRANGER);
    const own = listen();
    await Promise.all([other.until(isHello), own.until(isHello)]);
    await api.request("POST", `runs/${runId}/cancel`, { body: {} });
    await own.until((message) => message.type === "run" && message.run.status === "cancelled");
    expect(other.received).toEqual([{ type: "hello" }]);
  });

  it("finds what other replicas commit", async () => {
    const listeners: unknown[] = [];
    const runtime = Object.create(api.runtime, { onCommitted: { value: () => () => listeners.push(0) } });
    const { createApp } = await import("../app.ts");
    const app = createApp({
      store: api.store,
      runtime,
      gateways: api.gateways,
      governance: api.governance,
      config: { tailMs: 5 },
    });
    const own = api.app;
    Object.assign(api, { app });
    const live = listen();
    await live.until(isHello);
    Object.assign(api, { app: own });
    const runId = await api.run("hello", { who: "Ada" });
    await live.until(
      (message) => message.type === "run" && message.run.id === runId && message.run.status === "completed",
    );
    app.close();
  });

  it("refuses what cannot be followed", async () => {
    const many = Array.from({ length: 51 }, (_, index) => `run_${index}:0`).join(",");
    expect((await api.request("GET", `live?runs=${many}`)).body.code).toBe("invalid_request");
    expect((await api.request("GET", "live?runs=run_a:x")).status).toBeGreaterThanOrEqual(400);
    expect((await api.request("GET", "live", { key: await api.key(["workflow:read"]) })).status).toBe(403);
  });

  it("leaves nothing behind", async () => {
    const live = listen({ [await api.run("gated")]: 0 });
    await live.until(isHello);
    expect(api.app.streams()).toEqual({ open: 1, watchedRuns: 1 });
    live.abort.abort();
    await expect.poll(() => api.app.streams()).toEqual({ open: 0, watchedRuns: 0 });
  });
});
