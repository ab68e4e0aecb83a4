import { afterEach, describe, expect, it } from "vitest";
import {
  acceptAll,
  createHandClock,
  type FakeBridge,
  type HandClock,
  openFakeBridge,
  type FakeReply,
  UNKNOWN,
  until,
} from "../../../test/gateway/fake-bridge.ts";
import type { RoundReport } from "../../adapter/index.ts";
import { type CallbackBody, DISPATCH_PATH, EXECUTIONS_PATH } from "../../bridge/index.ts";
import { digestText } from "../../core/base/index.ts";
import type { RunEvent } from "../../core/event/index.ts";
import { type OpenedGateways, openGateways } from "../../gateway/index.ts";
import { PeerAgent } from "../../outbound/index.ts";
import { createMemoryStore, type RunCommit, type Store, StoreUnavailable } from "../../store/index.ts";
import { openGovernance } from "../../governance/index.ts";
import { DurableDriver } from "./durable-driver.ts";
import { type AttemptAddress, readDispatchId } from "../../core/event/index.ts";
import { type Reporter, type ReportOutcome } from "./attempt-report.ts";

const ORG = "default";
const EDGE: Reporter = { orgId: ORG, gatewayId: "edge" };
const PUBLIC = "http://127.0.0.1:1";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Machine {
  readonly driver: DurableDriver;
  readonly clock: HandClock;
  readonly store: Store;
  readonly bridge: FakeBridge;
  readonly gateways: OpenedGateways;
  readonly troubles: string[];
}

/** A driver with one registered Bridge; `beside`: another replica over the same store. */
async function machine(beside?: Machine): Promise<Machine> {
  const clock = beside?.clock ?? createHandClock();
  const store = beside?.store ?? createMemoryStore({ now: () => clock.now() });
  const bridge = beside?.bridge ?? (await openFakeBridge());
  if (beside === undefined) closing.push(() => bridge.close());
  const troubles: string[] = [];
  const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
  const gateways = await openGateways({ store, clock, secretKey: null, local: null, onTrouble });
  const spec = { name: null, environment: null, isDefault: false, minTrustLevel: 1, costRank: 0, capabilities: [] };
  const serves = { url: bridge.url, providers: ["ai-sdk"], defaultProvider: "ai-sdk" };
  if (beside === undefined) await gateways.directory.put(ORG, "edge", { ...spec, ...serves }, {});
  const agent = new PeerAgent();
  const { directory, tickets } = gateways;
  const driver = new DurableDriver({
    store,
    clock,
    adapters: [],
    judge: openGovernance({ store, directory, clock, isAlone: true, startRate: null, onTrouble }).governor,
    monotonic: () => clock.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: beside === undefined,
    onTrouble,
    remote: { directory, agent, tickets, publicUrl: () => PUBLIC },
  });
  await driver.start();
  closing.push(async () => {
    await stopped({ driver, clock });
    agent.close();
  });
  return { driver, clock, store, bridge, gateways, troubles };
}

async function stopped({ driver, clock }: Pick<Machine, "driver" | "clock">): Promise<void> {
  let isStopped = false;
  const stopping = driver.stop().finally(() => {
    isStopped = true;
  });
  await until(async () => {
    await clock.pass(20);
    return isStopped;
  });
  return stopping;
}

const ONE = "name: w\nsteps: [{ id: a, command: go }]\n";
const CHAIN = "name: w\nsteps: [{ id: a, command: go }, { id: b, command: go, depends_on: [a] }]\n";
const FAN = `name: w
steps: [{ id: a, command: go }, ${["b", "c", "d"].map((id) => `{ id: ${id}, command: go, depends_on: [a] }`).join(", ")}]
`;
const ONCE = "name: w\nsteps: [{ id: a, command: go, effects: at_most_once }]\n";
const TOOLS = "name: w\nsteps: [{ id: a, command: go, tools: [pay] }]\n";
const RETRIED = "name: w\nsteps: [{ id: a, command: go, on_failure: retry_once }]\n";
const PATIENT = "name: w\nsteps: [{ id: a, command: go, timeout: 3600 }]\n";

async function launched({ driver, store, bridge }: Machine, source: string): Promise<string> {
  const definitionHash = digestText(source);
  await store.putDefinition(ORG, definitionHash, { source, catalog: null });
  const about = { orgId: ORG, workflow: "w", version: 1, definitionHash, trigger: "test", startedBy: null };
  const before = posts(bridge).length;
  const outcome = await driver.launch({ ...about, args: {} });
  if (outcome.kind !== "started") throw new Error(`the launch was ${outcome.kind}`);
  await until(() => posts(bridge).length > before);
  return outcome.run.runId;
}

/** Waits until the Bridge has acknowledged so many: each is then left alone for half a minute. */
const handedOver = ({ clock }: Machine, count = 1): Promise<void> =>
  until(() => clock.waits.filter((wait) => wait === 30_000).length >= count);

const posts = (bridge: FakeBridge) =>
  bridge.to("POST", DISPATCH_PATH).filter(({ dispatches }) => dispatches.length > 0);
const questions = (bridge: FakeBridge) => bridge.to("GET", EXECUTIONS_PATH);
const sentIds = (bridge: FakeBridge): readonly string[] =>
  posts(bridge).flatMap(({ dispatches }) => dispatches.map(({ stepId, attempt }) => `${stepId}/${attempt}`));

const at = (runId: string, nodeId = "a", attempt = 1): AttemptAddress => ({ runId, nodeId, attempt });

const callback = ({ runId, nodeId, attempt }: AttemptAddress, more: Partial<CallbackBody> = {}): CallbackBody => ({
  dispatchId: `${runId}/${nodeId}/${attempt}`,
  runId,
  stepId: nodeId,
  attempt,
  status: "completed",
  stdout: "done",
  startedAt: "2026-01-01T00:00:00Z",
  completedAt: "2026-01-01T00:00:01Z",
  ...more,
});

const report = (
  { driver }: Machine,
  address: AttemptAddress,
  more: Partial<CallbackBody> = {},
  reporter: Reporter = EDGE,
): Promise<ReportOutcome> => driver.report(reporter, address, callback(address, more));

const eventsOf = ({ store }: Machine, runId: string): Promise<readonly RunEvent[]> =>
  store.readEvents(ORG, runId, 0, 10_000);
const statusOf = async ({ store }: Machine, runId: string): Promise<string | undefined> =>
  (await store.getRun(ORG, runId))?.status;
const typesOf = async (on: Machine, runId: string): Promise<readonly string[]> =>
  (await eventsOf(on, runId)).map(({ type }) => type);

describe("a run at a Bridge", () => {
  it("goes through dispatches and callbacks to its end", async () => {
    const on = await machine();
    const runId = await launched(on, CHAIN);
    expect(await report(on, at(runId), { stdout: "one", inputTokens: 3, costUsd: 0.25 })).toBe("received");
    await until(() => sentIds(on.bridge).length === 2);
    expect(sentIds(on.bridge)).toEqual(["a/1", "b/1"]);
    expect(await report(on, at(runId, "b"))).toBe("received");
    expect(await statusOf(on, runId)).toBe("completed");
    expect((await on.store.getRun(ORG, runId))?.costMicros).toBe(250_000);
    expect(on.driver.figures().openDispatches).toBe(0);
    expect(on.troubles).toEqual([]);
  });

  it("names the Bridge where to report, and gives every attempt a ticket until its deadline", async () => {
    const on = await machine();
    const runId = await launched(on, PATIENT);
    const [body] = posts(on.bridge)[0]?.dispatches ?? [];
    expect(body).toMatchObject({
      dispatchId: `${runId}/a/1`,
      runId,
      stepId: "a",
      attempt: 1,
      provider: "ai-sdk",
      timeoutMs: 3_600_000,
      callbackUrl: `${PUBLIC}/api/workflow/step-complete`,
      streamUrl: `${PUBLIC}/api/workflow/step-stream`,
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    });
    const token = body?.externalCallbackUrl?.replace(`${PUBLIC}/api/v1/callbacks/`, "") ?? "";
    const ticket = { orgId: ORG, runId, nodeId: "a", attempt: 1, expiresAt: on.clock.now() + 3_600_000 };
    expect(on.gateways.tickets.read(token, on.clock.now())).toEqual({ kind: "good", ticket });
  });

  it("fails at once what the Bridge refuses, and what no gateway takes", async () => {
    const on = await machine();
    on.bridge.answer = () => ({ status: 422, body: { detail: "Unknown." } });
    const runId = await launched(on, ONE);
    await until(async () => (await statusOf(on, runId)) === "failed");
    const failed = (await eventsOf(on, runId)).find(({ type }) => type === "node.failed");
    expect(failed?.payload).toMatchObject({
      errorCode: "dispatch_failed",
      errorMessage: expect.stringContaining("422"),
    });
  });

  it("streams while it runs, each piece once, and not afterwards", async () => {
    const on = await machine();
    const runId = await launched(on, ONE);
    const stream = (texts: readonly string[], reporter: Reporter = EDGE) =>
      on.driver.stream(
        reporter,
        at(runId),
        texts.map((text, index) => ({ index, text })),
      );
    expect(await stream(["one "])).toBe("received");
    expect(await stream(["one ", "two"])).toBe("received");
    expect(await stream(["zero"], { orgId: ORG, gatewayId: "other" })).toBe("unknown");
    expect(await report(on, at(runId))).toBe("received");
    expect(await stream(["one ", "two", "late"])).toBe("discarded");
    const deltas = (await eventsOf(on, runId)).filter(({ type }) => type === "node.stream.delta");
    expect(deltas.map(({ payload }) => payload)).toMatchObject([{ text: "one " }, { text: "two" }]);
  });

  it("is cancelled when the run is cancelled", async () => {
    const on = await machine();
    const runId = await launched(on, ONE);
    await on.driver.submit(ORG, runId, { type: "cancel", reason: "enough" });
    await until(() => on.bridge.to("POST", EXECUTIONS_PATH).length === 1);
    expect(on.bridge.to("POST", EXECUTIONS_PATH)[0]?.path).toBe(
      `${EXECUTIONS_PATH}/${encodeURIComponent(`${runId}/a/1`)}/cancel`,
    );
    expect(on.driver.figures().openDispatches).toBe(0);
  });

  it("is cancelled when the run is parked, so that it costs nothing more", async () => {
    const on = await machine();
    const runId = await launched(on, FAN);
    await report(on, at(runId));
    await until(() => sentIds(on.bridge).length === 4);
    const commit = on.store.commit.bind(on.store);
    Object.assign(on.store, {
      commit: async (batch: readonly RunCommit[]) => {
        // Only the commit that parks the run can be written.
        if (batch.some(({ head }) => head.status !== "failed")) throw new TypeError("a bug");
        return commit(batch);
      },
    });
    await report(on, at(runId, "b")).catch(() => undefined);
    await until(() => on.bridge.to("POST", EXECUTIONS_PATH).length === 3);
    const cancelled = on.bridge.to("POST", EXECUTIONS_PATH).map(({ path }) => decodeURIComponent(path));
    expect(cancelled.sort()).toEqual(["b", "c", "d"].map((id) => `${EXECUTIONS_PATH}/${runId}/${id}/1/cancel`));
    expect((await on.store.getRun(ORG, runId))?.errorCode).toBe("engine_bug");
    expect(on.driver.figures().openDispatches).toBe(0);
  });
});

describe("what becomes of a report", () => {
  it("is received once, and deduplicated ever after, also when it says something else", async () => {
    const on = await machine();
    const runId = await launched(on, CHAIN);
    expect(await report(on, at(runId), { stdout: "one", costUsd: 1 })).toBe("received");
    const before = await eventsOf(on, runId);
    expect(await report(on, at(runId), { stdout: "one", costUsd: 1 })).toBe("deduplicated");
    expect(await report(on, at(runId), { stdout: "two", costUsd: 9 })).toBe("deduplicated");
    expect(await report(on, at(runId), { status: "failed", error: "no" })).toBe("deduplicated");
    expect(await report(on, at(runId), { status: "deferred" })).toBe("deduplicated");
    expect(await eventsOf(on, runId)).toEqual(before);
    expect((await on.store.getRun(ORG, runId))?.costMicros).toBe(1_000_000);
  });

  it("is deduplicated too when ten arrive at once, and the cost is taken once", async () => {
    const on = await machine();
    const runId = await launched(on, CHAIN);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => report(on, at(runId), { costUsd: 1 })));
    expect(outcomes.sort()).toEqual([...Array<string>(9).fill("deduplicated"), "received"]);
    expect((await on.store.getRun(ORG, runId))?.costMicros).toBe(1_000_000);
  });

  it("is received once as deferred and once as final", async () => {
    const on = await machine();
    const runId = await launched(on, ONE);
    expect(await report(on, at(runId), { status: "deferred" })).toBe("received");
    expect(await report(on, at(runId), { status: "deferred" })).toBe("deduplicated");
    expect((await typesOf(on, runId)).filter((type) => type === "node.waiting")).toHaveLength(1);
    expect(await statusOf(on, runId)).toBe("running");
    // From outside, by the ticket of the attempt: its holder names no gateway.
    expect(await report(on, at(runId), { stdout: "later" }, { orgId: ORG })).toBe("received");
    expect(await report(on, at(runId), { stdout: "again" }, { orgId: ORG })).toBe("deduplicated");
    expect(await statusOf(on, runId)).toBe("completed");
  });

  it.each(["completed", "failed", "timed_out", "cancelled"] as const)(
    "is discarded after the run was cancelled, and what it cost is kept: %s",
    async (status) => {
      const on = await machine();
      const runId = await launched(on, ONE);
      await on.driver.submit(ORG, runId, { type: "cancel", reason: "enough" });
      expect(await statusOf(on, runId)).toBe("cancelled");
      const said = { status, stdout: "late", costUsd: 0.5, inputTokens: 7 };
      expect(await report(on, at(runId), said)).toBe("discarded");
      expect(await report(on, at(runId), said)).toBe("deduplicated");
      const run = await on.store.getRun(ORG, runId);
      expect(run).toMatchObject({ status: "cancelled", costMicros: 500_000 });
      const costs = (await eventsOf(on, runId)).filter(({ type }) => type === "cost.recorded");
      expect(costs).toMatchObject([{ payload: { nodeId: "a", attempt: 1, costMicros: 500_000, late: true } }]);
    },
  );

  it("is discarded after the deadline, and what it cost is kept", async () => {
    const on = await machine();
    const runId = await launched(on, "name: w\nsteps: [{ id: a, command: go, timeout: 30 }]\n");
    await on.clock.pass(31_000);
    await until(async () => (await statusOf(on, runId)) === "failed");
    expect(await report(on, at(runId), { costUsd: 2, messages: [{ role: "user" }], sessionId: "s" })).toBe("discarded");
    expect((await on.store.getRun(ORG, runId))?.costMicros).toBe(2_000_000);
    // Nothing is kept of an output that was not taken.
    expect(await on.store.reportsOf(ORG, runId, "a")).toEqual([]);
  });

  it("is about an older attempt while a newer one runs: its cost counts, the newer continues", async () => {
    const on = await machine();
    const runId = await launched(on, "name: w\nsteps: [{ id: a, command: go, timeout: 30, on_failure: retry_once }]\n");
    await on.clock.pass(31_000);
    await until(async () => {
      await on.clock.pass(1_000);
      return sentIds(on.bridge).length === 2;
    });
    expect(sentIds(on.bridge)).toEqual(["a/1", "a/2"]);
    expect(await report(on, at(runId), { stdout: "old", costUsd: 1 })).toBe("discarded");
    expect(await statusOf(on, runId)).toBe("running");
    expect(await report(on, at(runId, "a", 2), { stdout: "new", costUsd: 2 })).toBe("received");
    expect(await on.store.getRun(ORG, runId)).toMatchObject({ status: "completed", costMicros: 3_000_000 });
    const completed = (await eventsOf(on, runId)).find(({ type }) => type === "node.completed");
    expect(completed?.payload).toMatchObject({ attempt: 2, envelope: { output: "new" } });
  });

  it("is of a failed attempt, deduplicated while the next one runs", async () => {
    const on = await machine();
    const runId = await launched(on, RETRIED);
    expect(await report(on, at(runId), { status: "failed", errorCode: "provider_error" })).toBe("received");
    await until(async () => {
      await on.clock.pass(1_000);
      return sentIds(on.bridge).length === 2;
    });
    expect(await report(on, at(runId), { status: "completed", costUsd: 5 })).toBe("deduplicated");
    expect((await on.store.getRun(ORG, runId))?.costMicros).toBe(0);
  });

  it("is unknown from any sender but the gateway the attempt went to, and changes nothing", async () => {
    const on = await machine();
    const runId = await launched(on, ONE);
    const before = await eventsOf(on, runId);
    const strangers: readonly (readonly [Reporter, AttemptAddress])[] = [
      [{ orgId: ORG, gatewayId: "other" }, at(runId)],
      [{ orgId: "other", gatewayId: "edge" }, at(runId)],
      [{ orgId: "other" }, at(runId)],
      [EDGE, at("run_nobody")],
      [EDGE, at(runId, "missing")],
      [EDGE, at(runId, "a", 2)],
      [EDGE, at(runId, "a", 999_999_999)],
      [EDGE, at(runId, "a", 0)],
      [EDGE, at(runId, "__proto__")],
      [EDGE, at(runId, "a[0]")],
    ];
    for (const [reporter, address] of strangers) {
      expect(await report(on, address, { costUsd: 1 }, reporter)).toBe("unknown");
      expect(await on.driver.stream(reporter, address, [{ index: 0, text: "x" }])).toBe("unknown");
    }
    expect(await eventsOf(on, runId)).toEqual(before);
  });
});

describe("what is reported besides the result", () => {
  it("is kept once, with the result that was taken", async () => {
    const on = await machine();
    const runId = await launched(on, ONE);
    const logs = [{ level: "info", message: "nul \0 and half \ud800", at: "2026-01-01T00:00:00Z" }] as const;
    const messages = [{ role: "assistant", content: "hello \0" }];
    expect(await report(on, at(runId), { sessionId: "s-1", messages, logs: [...logs] })).toBe("received");
    await report(on, at(runId), { sessionId: "s-1", messages: [{ role: "assistant", content: "other" }] });
    const reports = await on.store.reportsOf(ORG, runId, "a");
    expect(reports).toMatchObject([
      { attempt: 1, agentId: "default", sessionId: "s-1", messages: [{ role: "assistant", content: "hello \ufffd" }] },
    ]);
    expect(reports[0]?.logs.split("\n").map((line) => JSON.parse(line) as unknown)).toEqual(logs);
    expect(reports[0]?.logs).not.toContain("\0");
    expect(await on.store.readThread(ORG, "default", "s-1", 10)).toHaveLength(1);
    expect(await on.store.readThread("other", "default", "s-1", 10)).toEqual([]);
  });

  it("is nothing when nothing was reported", async () => {
    const on = await machine();
    const runId = await launched(on, ONE);
    await report(on, at(runId), { sessionId: "s-1", messages: [], logs: [] });
    expect(await on.store.reportsOf(ORG, runId, "a")).toEqual([]);
  });
});

describe("two replicas", () => {
  it("take each other's callbacks, and know better than their memory", async () => {
    const first = await machine();
    const second = await machine(first);
    const runId = await launched(first, CHAIN);
    // The second has the run in memory as it was, and a callback for a node it has not seen dispatched comes in.
    await second.driver.stateOf(ORG, runId);
    expect(await report(first, at(runId))).toBe("received");
    await until(() => sentIds(first.bridge).length === 2);
    expect(await report(second, at(runId, "b"))).toBe("received");
    expect(await statusOf(first, runId)).toBe("completed");
    expect(await report(first, at(runId, "b"))).toBe("deduplicated");
    expect(await report(first, at(runId), { status: "failed" })).toBe("deduplicated");
    expect(sentIds(first.bridge)).toEqual(["a/1", "b/1"]);
  });

  it("know better than their memory also when several callbacks come in at once", async () => {
    const first = await machine();
    const second = await machine(first);
    const runId = await launched(first, FAN);
    await second.driver.stateOf(ORG, runId);
    await report(first, at(runId));
    await until(() => sentIds(first.bridge).length === 4);
    // One of them finds that memory is old and drops it; the others must not take that for news.
    const outcomes = await Promise.all(["b", "c", "d"].map((nodeId) => report(second, at(runId, nodeId))));
    expect(outcomes).toEqual(["received", "received", "received"]);
    expect(await statusOf(first, runId)).toBe("completed");
  });

  it("take the same callback at once, one of them", async () => {
    const first = await machine();
    const second = await machine(first);
    const runId = await launched(first, CHAIN);
    await second.driver.stateOf(ORG, runId);
    const outcomes = await Promise.all([
      report(first, at(runId), { costUsd: 1 }),
      report(second, at(runId), { costUsd: 1 }),
    ]);
    expect(outcomes.sort()).toEqual(["deduplicated", "received"]);
    expect((await first.store.getRun(ORG, runId))?.costMicros).toBe(1_000_000);
    await until(() => sentIds(first.bridge).includes("b/1"));
  });

  it("forget what the other has seen the end of, with their next question", async () => {
    const first = await machine();
    const second = await machine(first);
    const runId = await launched(first, ONE);
    expect(await report(second, at(runId))).toBe("received");
    expect(first.driver.figures().openDispatches).toBe(1);
    await handedOver(first);
    const view = { state: "ended", result: callback(at(runId)) };
    first.bridge.answer = (asked) => (asked.method === "GET" ? { status: 200, body: view } : acceptAll(asked));
    await first.clock.pass(30_000);
    await until(() => first.driver.figures().openDispatches === 0);
    expect((await typesOf(first, runId)).filter((type) => type === "node.completed")).toHaveLength(1);
  });
});

/** Lets a replica go without a word, and another find what it left. */
async function successorOf(gone: Machine): Promise<Machine> {
  await handedOver(gone);
  const next = await machine(gone);
  await stopped(gone);
  await next.clock.pass(4_500);
  return next;
}

const asked = (said: FakeReply) => (one: Parameters<FakeBridge["answer"]>[0]) =>
  one.method === "GET" ? said : acceptAll(one);

describe("an attempt no process holds", () => {
  it("is sent again under the same id when it may run twice", async () => {
    const gone = await machine();
    const runId = await launched(gone, ONE);
    const next = await successorOf(gone);
    await until(() => sentIds(next.bridge).length >= 2);
    expect(new Set(posts(next.bridge).flatMap(({ dispatches }) => dispatches.map((one) => one.dispatchId)))).toEqual(
      new Set([`${runId}/a/1`]),
    );
    expect(await report(next, at(runId))).toBe("received");
    expect(await statusOf(next, runId)).toBe("completed");
  });

  it("is continued and not begun again when its Bridge reports a round before it is reached", async () => {
    const gone = await machine();
    const runId = await launched(gone, TOOLS);
    gone.bridge.answer = (one) => (one.method === "GET" ? UNKNOWN : { status: 503 });
    const next = await successorOf(gone);
    await until(() => sentIds(next.bridge).length === 2);
    const asked: RoundReport = { round: 0, message: null, finish: "tool_calls", calls: [{ tool: "pay", args: {} }] };
    expect(await next.driver.turns.round(EDGE, at(runId), asked)).toMatchObject({
      next: "go",
      rulings: [{ disposition: "allow" }],
    });
    next.bridge.answer = (one) => (one.method === "GET" ? UNKNOWN : acceptAll(one));
    await until(async () => {
      await next.clock.pass(1_000);
      return sentIds(next.bridge).length === 3;
    });
    const sent = posts(next.bridge).flatMap(({ dispatches }) => dispatches.map(({ dispatchId }) => dispatchId));
    expect(sent).toEqual([`${runId}/a/1`, `${runId}/a/1`, `${runId}/a/1#1`]);
  });

  it("is asked for and not sent again when it may run only once", async () => {
    const gone = await machine();
    gone.bridge.answer = asked({ status: 200, body: { state: "running" } });
    const runId = await launched(gone, ONCE);
    const next = await successorOf(gone);
    await handedOver(next, 2);
    next.bridge.answer = asked({ status: 200, body: { state: "ended", result: callback(at(runId), { costUsd: 1 }) } });
    await next.clock.pass(30_000);
    await until(async () => (await statusOf(next, runId)) === "completed");
    expect(sentIds(next.bridge)).toEqual(["a/1"]);
    expect((await next.store.getRun(ORG, runId))?.costMicros).toBe(1_000_000);
  });

  it("is unknown for ever when it may run only once and the Bridge does not know it", async () => {
    const gone = await machine();
    const runId = await launched(gone, ONCE);
    const next = await successorOf(gone);
    await until(async () => (await statusOf(next, runId)) === "failed");
    expect(sentIds(next.bridge)).toEqual(["a/1"]);
    const failed = (await eventsOf(next, runId)).find(({ type }) => type === "node.failed");
    expect(failed?.payload).toMatchObject({ errorCode: "outcome_unknown" });
    expect(next.driver.figures().openDispatches).toBe(0);
  });

  it("continues outside when it was deferred, whichever replica sent it and whatever the Bridge remembers", async () => {
    const gone = await machine();
    const runId = await launched(gone, PATIENT);
    await report(gone, at(runId), { status: "deferred" });
    const next = await successorOf(gone);
    // The Bridge was started anew and knows nothing of it either.
    await next.clock.pass(120_000);
    expect(sentIds(next.bridge)).toEqual(["a/1"]);
    expect(await statusOf(next, runId)).toBe("running");
    expect(await report(next, at(runId), { stdout: "at last" }, { orgId: ORG })).toBe("received");
    expect(await statusOf(next, runId)).toBe("completed");
  });

  it("continues outside also when a Bridge forgets it while it may run only once", async () => {
    const on = await machine();
    const runId = await launched(
      on,
      "name: w\nsteps: [{ id: a, command: go, timeout: 3600, effects: at_most_once }]\n",
    );
    await report(on, at(runId), { status: "deferred" });
    await handedOver(on);
    await on.clock.pass(30_000);
    await until(() => questions(on.bridge).length === 1 && on.driver.figures().openDispatches === 0);
    expect(await statusOf(on, runId)).toBe("running");
    expect(await report(on, at(runId), {}, { orgId: ORG })).toBe("received");
  });

  it("is sent again when its Bridge has forgotten it", async () => {
    const on = await machine();
    const runId = await launched(on, PATIENT);
    await handedOver(on);
    await on.clock.pass(30_000);
    await until(() => sentIds(on.bridge).length === 2);
    expect(sentIds(on.bridge)).toEqual(["a/1", "a/1"]);
    expect(await report(on, at(runId))).toBe("received");
  });

  it("is asked for when the callback is missing, and its result taken like a callback", async () => {
    const on = await machine();
    const runId = await launched(on, ONE);
    const result = callback(at(runId), { costUsd: 1, sessionId: "s", messages: [{ role: "user" }] });
    on.bridge.answer = asked({ status: 200, body: { state: "ended", result } });
    await handedOver(on);
    await on.clock.pass(30_000);
    await until(async () => (await statusOf(on, runId)) === "completed");
    expect(await on.store.reportsOf(ORG, runId, "a")).toHaveLength(1);
    expect(await report(on, at(runId))).toBe("deduplicated");
    expect((await on.store.getRun(ORG, runId))?.costMicros).toBe(1_000_000);
  });

  it("is sent once by a replica whose commit was never answered", async () => {
    const on = await machine();
    const runId = await launched(on, CHAIN);
    const commit = on.store.commit.bind(on.store);
    let isLost = true;
    Object.assign(on.store, {
      async commit(batch: Parameters<Store["commit"]>[0]) {
        const outcome = await commit(batch);
        if (!isLost) return outcome;
        isLost = false;
        throw new StoreUnavailable("the answer was lost");
      },
    });
    const input = report(on, at(runId));
    await until(async () => {
      await on.clock.pass(50);
      return sentIds(on.bridge).length === 2;
    });
    expect(await input).toBe("deduplicated");
    expect(sentIds(on.bridge)).toEqual(["a/1", "b/1"]);
    expect(await report(on, at(runId, "b"))).toBe("received");
    expect(await statusOf(on, runId)).toBe("completed");
  });
});

describe("the id of a dispatch", () => {
  it.each([
    ["run_1/a/1", { runId: "run_1", nodeId: "a", attempt: 1 }],
    ["run_1/a[0]/12", { runId: "run_1", nodeId: "a[0]", attempt: 12 }],
    ["run_1/a/b/3", { runId: "run_1", nodeId: "a/b", attempt: 3 }],
    ["r/a/999999999", { runId: "r", nodeId: "a", attempt: 999_999_999 }],
  ])("is read: %s", (dispatchId, address) => {
    expect(readDispatchId(dispatchId)).toEqual(address);
  });

  it.each([
    "",
    "/",
    "//",
    "r",
    "r/a",
    "r/a/",
    "r//1",
    "/a/1",
    "r/a/0",
    "r/a/01",
    "r/a/-1",
    "r/a/1.5",
    "r/a/1e3",
    "r/a/x",
    "r/a/1000000000",
    "r/a/ 1",
  ])("is none: %j", (dispatchId) => {
    expect(readDispatchId(dispatchId)).toBeUndefined();
  });
});
