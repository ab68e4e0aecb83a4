import { afterEach, describe, expect, it } from "vitest";
import {
  acceptAll,
  type Asked,
  createHandClock,
  type FakeBridge,
  openFakeBridge,
  refusingUrl,
  type FakeReply,
  UNKNOWN,
  until,
} from "../../test/gateway/fake-bridge.ts";
import {
  type CallbackBody,
  DISPATCH_ALIAS,
  DISPATCH_BATCH_PATH,
  DISPATCH_BYTES_MAX,
  DISPATCH_PATH,
  DISPATCH_SYNC_PATH,
  type DispatchBody,
  EXECUTIONS_PATH,
} from "../bridge/index.ts";
import { PeerAgent } from "../outbound/index.ts";
import { createMemoryStore } from "../store/index.ts";
import { GatewayDirectory } from "./directory.ts";
import { NEW_SPEC } from "./gateway-spec.ts";
import { BATCH_BYTES_MAX } from "./dispatch-batch.ts";
import type { Opened, Sending } from "./opened.ts";
import { RemoteDispatcher } from "./remote-dispatcher.ts";
import { createSecretBox } from "../seal/index.ts";

const ORG = "default";
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function newBridge(answer?: FakeBridge["answer"]): Promise<FakeBridge> {
  const bridge = await openFakeBridge(answer);
  closing.push(() => bridge.close());
  return bridge;
}

async function stage(url: string) {
  const clock = createHandClock();
  const store = createMemoryStore({ now: () => clock.now() });
  const directory = new GatewayDirectory({
    store,
    box: createSecretBox("key"),
    clock,
    local: null,
    onTrouble: () => undefined,
  });
  const put = (id: string, at: string, dispatchToken = "dsp_the_first") =>
    directory.put(ORG, id, { ...NEW_SPEC, url: at, providers: ["ai-sdk"] }, { dispatchToken });
  await put("edge", url);
  const reports: string[] = [];
  const results: CallbackBody[] = [];
  const agent = new PeerAgent();
  const taking = { isTaken: true };
  const progress = new Set<string>();
  const dispatcher = new RemoteDispatcher({
    directory,
    agent,
    clock,
    report: {
      hasProgress: async ({ nodeId }) => progress.has(nodeId),
      async ended({ nodeId }, body) {
        reports.push(`ended ${nodeId} ${body.status}`);
        results.push(body);
        return taking.isTaken;
      },
      failed: ({ nodeId }, { code, message }) => void reports.push(`failed ${nodeId} ${code}: ${message}`),
      lost: ({ nodeId }) => reports.push(`lost ${nodeId}`),
    },
  });
  closing.push(
    () => agent.close(),
    () => dispatcher.close(),
  );
  return { clock, store, directory, dispatcher, reports, results, put, agent, taking, progress };
}

type Stage = Awaited<ReturnType<typeof stage>>;

const about = (nodeId: string, more: Partial<Opened> = {}): Opened => ({
  orgId: ORG,
  gatewayId: "edge",
  runId: "run_1",
  nodeId,
  attempt: 1,
  dispatchId: `run_1/${nodeId}/1`,
  effects: "at_least_once",
  ...more,
});

function sending(nodeId: string, more: Partial<Sending> = {}): Sending {
  const opened = about(nodeId, more);
  const { dispatchId, runId, attempt, effects } = opened;
  const body: DispatchBody = {
    dispatchId,
    runId,
    stepId: nodeId,
    attempt,
    idempotencyKey: "key",
    provider: "ai-sdk",
    agentId: "default",
    message: "Do it",
    inputs: {},
    outputStrategy: "text",
    timeoutMs: 60_000,
    context: { runId, workflow: "w", phase: null, upstreamDigest: null },
    effects,
  };
  return { ...opened, body: more.body ?? body, isSync: more.isSync ?? false, isResend: more.isResend ?? false };
}

const once = { effects: "at_most_once" } as const;

const result = (nodeId: string, more: Partial<CallbackBody> = {}): CallbackBody => ({
  dispatchId: `run_1/${nodeId}/1`,
  runId: "run_1",
  stepId: nodeId,
  attempt: 1,
  status: "completed",
  stdout: "done",
  startedAt: "2026-01-01T00:00:00Z",
  completedAt: "2026-01-01T00:00:01Z",
  ...more,
});

const view = (nodeId: string, state: string, more: object = {}): FakeReply => ({
  status: 200,
  body: { dispatchId: `run_1/${nodeId}/1`, state, startedAt: "2026-01-01T00:00:00Z", ...more },
});

/** Takes dispatches, and answers this when it is asked for one. */
const knows =
  (reply: FakeReply | (() => FakeReply)) =>
  (asked: Asked): FakeReply =>
    asked.method === "GET" ? (typeof reply === "function" ? reply() : reply) : acceptAll(asked);

const posts = (bridge: FakeBridge): readonly Asked[] =>
  bridge.to("POST", DISPATCH_PATH).filter(({ path }) => path !== DISPATCH_SYNC_PATH);
const questions = (bridge: FakeBridge): readonly Asked[] => bridge.to("GET", EXECUTIONS_PATH);

/** Waits until the dispatcher has made up its mind so many times what to do next. */
const decided = ({ clock }: Stage, times: number): Promise<void> => until(() => clock.waits.length === times);

describe("handing over", () => {
  it("sends what one turn brought to one gateway in one request, in its order, with its token", async () => {
    const [edge, other] = [await newBridge(), await newBridge()];
    const on = await stage(edge.url);
    await on.put("other", other.url, "dsp_the_other");
    for (const nodeId of ["a", "b", "c"]) on.dispatcher.send(sending(nodeId));
    on.dispatcher.send(sending("d", { gatewayId: "other" }));
    await decided(on, 4);
    expect(edge.asked.map(({ path, token }) => [path, token])).toEqual([[DISPATCH_BATCH_PATH, "dsp_the_first"]]);
    expect(edge.asked[0]?.dispatches).toEqual(["a", "b", "c"].map((nodeId) => sending(nodeId).body));
    expect(other.asked.map(({ token, dispatches }) => [token, dispatches.length])).toEqual([["dsp_the_other", 1]]);
    expect(on.clock.waits).toEqual([30_000, 30_000, 30_000, 30_000]);
    expect(on.dispatcher.openCount).toBe(4);
    expect(on.reports).toEqual([]);
  });

  it.each([
    [63, [63]],
    [64, [64]],
    [65, [64, 1]],
    [129, [64, 64, 1]],
  ])("puts at most 64 into one request: %i", async (count, sizes) => {
    const bridge = await newBridge();
    const on = await stage(bridge.url);
    for (let index = 0; index < count; index += 1) on.dispatcher.send(sending(`n${index}`));
    await decided(on, count);
    expect(
      posts(bridge)
        .map(({ dispatches }) => dispatches.length)
        .sort((left, right) => right - left),
    ).toEqual(sizes);
  });

  it("puts no more into one request than it may weigh, counted in bytes", async () => {
    const bridge = await newBridge();
    const on = await stage(bridge.url);
    // Each is three bytes on the wire and one unit in memory.
    const message = "€".repeat(Math.floor(BATCH_BYTES_MAX / 3 / 2));
    for (const nodeId of ["a", "b"]) {
      const one = sending(nodeId);
      on.dispatcher.send({ ...one, body: { ...one.body, message } });
    }
    await decided(on, 2);
    expect(posts(bridge).map(({ dispatches }) => dispatches.length)).toEqual([1, 1]);
  });

  it("sends the same dispatch once, however often it is handed over", async () => {
    const bridge = await newBridge();
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    on.dispatcher.send(sending("a"));
    on.dispatcher.adopt(about("a"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(bridge.asked.map(({ dispatches }) => dispatches.length)).toEqual([1]);
  });

  it("takes each answer of a batch for itself", async () => {
    const bridge = await newBridge(() => ({
      status: 200,
      body: {
        results: [
          { status: 202, body: { accepted: true, dispatchId: "run_1/a/1" } },
          { status: 202, body: { accepted: true, dispatchId: "run_1/b/1", duplicate: true } },
          { status: 422, body: { code: "unknown_provider", detail: 'no adapter is called "x".' } },
          { status: 429, body: { code: "too_many_dispatches" } },
        ],
      },
    }));
    const on = await stage(bridge.url);
    for (const nodeId of ["a", "b", "c", "d"]) on.dispatcher.send(sending(nodeId));
    await decided(on, 3);
    expect(on.reports).toEqual([
      'failed c dispatch_failed: the Bridge refused it (422): no adapter is called "x". (unknown_provider)',
    ]);
    expect(on.clock.waits).toEqual([30_000, 30_000, 1_000]);
    expect(["a", "b", "c", "d"].map((nodeId) => on.dispatcher.isOpen(`run_1/${nodeId}/1`))).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it.each([400, 403, 409, 413, 415, 422])("fails at once what is refused with %i", async (status) => {
    const bridge = await newBridge(() => ({ status, body: { detail: "No." } }));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    on.dispatcher.send(sending("b", once));
    await until(() => on.reports.length === 2);
    expect(on.reports[0]).toBe(`failed a dispatch_failed: the Bridge refused it (${status}): No.`);
    expect(on.dispatcher.openCount).toBe(0);
    expect(on.clock.waits).toEqual([]);
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "<html>"],
    ["null", "null"],
    ["a list", "[]"],
    ["no results", "{}"],
    ["too few results", '{"results":[]}'],
    ["too many results", `{"results":[${Array(4).fill('{"status":202}').join(",")}]}`],
    ["results that are null", '{"results":[null,null,null]}'],
    ["results without a status", '{"results":[{"body":{}},{"body":{}},{"body":{}}]}'],
    ["a status that is a text", '{"results":[{"status":"202"},{"status":202},{"status":202}]}'],
  ])("sends one by one when the answer to a batch is 200 with %s", async (_, text) => {
    const bridge = await newBridge((asked) =>
      asked.path === DISPATCH_BATCH_PATH ? { status: 200, text } : acceptAll(asked),
    );
    const on = await stage(bridge.url);
    for (const nodeId of ["a", "b", "c"]) on.dispatcher.send(sending(nodeId, nodeId === "c" ? once : {}));
    await decided(on, 3);
    expect(on.clock.waits).toEqual([30_000, 30_000, 30_000]);
    expect(on.reports).toEqual([]);
    // What must not begin twice may have begun by the first request.
    expect(posts(bridge).map(({ dispatches }) => dispatches.length)).toEqual([3, 1, 1]);
  });

  it("reads a refusal that gives no reason", async () => {
    const bridge = await newBridge(() => ({ status: 200, text: '{"results":[{"status":422},{"status":202}]}' }));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    on.dispatcher.send(sending("b"));
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["failed a dispatch_failed: the Bridge refused it (422): it gave no reason"]);
  });
});

/** A Bridge that does not answer is tried for half a minute. */
const TRY_WAITS = [1_000, 4_000, 5_000, 5_000, 5_000, 5_000, 5_000];

async function passTries(on: Stage, waits: readonly number[] = TRY_WAITS, from = 1): Promise<void> {
  for (const [index, wait] of [...waits, 0].entries()) {
    await decided(on, from + index);
    await on.clock.pass(wait);
  }
}

describe("trying again", () => {
  const answers: readonly (readonly [string, () => FakeReply])[] = [
    ["500", () => ({ status: 500 })],
    ["502", () => ({ status: 502, text: "<html>" })],
    ["503", () => ({ status: 503 })],
    ["429", () => ({ status: 429 })],
    ["408", () => ({ status: 408 })],
    ["a reset", () => "reset"],
  ];

  it.each(answers)("tries for half a minute on %s, asks once more, and then reports it", async (_, answer) => {
    const bridge = await newBridge((asked) => (asked.method === "GET" ? UNKNOWN : answer()));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    await on.clock.pass(999);
    expect(posts(bridge)).toHaveLength(1);
    await on.clock.pass(1);
    await passTries(on, TRY_WAITS.slice(1), 2);
    await until(() => on.reports.length === 1);
    expect(on.clock.waits).toEqual([...TRY_WAITS, 0]);
    expect(on.reports[0]).toMatch(/^failed a gateway_unreachable: ./);
    expect([posts(bridge).length, questions(bridge).length]).toEqual([8, 1]);
    expect(on.dispatcher.openCount).toBe(0);
  });

  it("does so when nothing listens there", async () => {
    const on = await stage(await refusingUrl());
    on.dispatcher.send(sending("a"));
    await passTries(on);
    await until(() => on.reports.length === 1);
    expect(on.reports[0]).toMatch(/^failed a gateway_unreachable: 127\.0\.0\.1:\d+ refuses connections\.$/);
  });

  it("stops trying once it is taken", async () => {
    const bridge = await newBridge(() => ({ status: 503 }));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    bridge.answer = acceptAll;
    await on.clock.pass(1_000);
    await decided(on, 2);
    expect(on.clock.waits).toEqual([1_000, 30_000]);
    expect(posts(bridge).map(({ dispatches }) => dispatches[0]?.dispatchId)).toEqual(["run_1/a/1", "run_1/a/1"]);
  });

  it.each([
    ["still runs", view("a", "running"), [] as string[], 30_000],
    ["has ended", view("a", "ended", { result: result("a") }), ["ended a completed"], 0],
    ["is lost", view("a", "lost"), ["lost a"], 0],
  ])("learns by its last question that it began after all and %s", async (_, reply, reports, lastWait) => {
    const bridge = await newBridge((asked) => (asked.method === "GET" ? reply : "reset"));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await passTries(on);
    await until(() => on.reports.length === reports.length && on.clock.waits.at(-1) === lastWait);
    await until(() => questions(bridge).length === 1);
    expect(on.reports).toEqual(reports);
  });

  it("reports it when the gateway is gone by then", async () => {
    const bridge = await newBridge(() => ({ status: 503 }));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    await on.directory.remove(ORG, "edge");
    await on.clock.pass(1_000);
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["failed a gateway_unreachable: its gateway is no longer registered"]);
  });

  it("reads the token again when it is refused, and tries with the new one", async () => {
    const bridge = await newBridge((asked) => (asked.token === "dsp_the_second" ? acceptAll(asked) : { status: 401 }));
    const on = await stage(bridge.url);
    const [link] = await on.store.listGatewayLinks(ORG);
    if (link === undefined) throw new Error("it is registered");
    // Another replica has replaced it.
    const sealed = createSecretBox("key").seal("dsp_the_second", "default/gateway/edge/dispatch");
    await on.store.putGatewayLink({ ...link, dispatchToken: sealed });
    on.dispatcher.send(sending("a", once));
    await decided(on, 1);
    await on.clock.pass(1_000);
    await decided(on, 2);
    expect(posts(bridge).map(({ token }) => token)).toEqual(["dsp_the_first", "dsp_the_second"]);
    expect(on.clock.waits).toEqual([1_000, 30_000]);
  });
});

describe("a Bridge that has fewer routes", () => {
  const has =
    (...paths: readonly string[]) =>
    (asked: Asked): FakeReply =>
      paths.includes(asked.path) ? { status: 202, text: "" } : { status: 404, text: "<html>Cannot POST</html>" };
  const paths = (bridge: FakeBridge) => bridge.asked.map(({ path }) => path);

  it.each([404, 405])(
    "is sent one by one once it has answered %i to a batch, and no batch any more",
    async (status) => {
      const bridge = await newBridge((asked) => (asked.path === DISPATCH_BATCH_PATH ? { status } : acceptAll(asked)));
      const on = await stage(bridge.url);
      for (const nodeId of ["a", "b"]) on.dispatcher.send(sending(nodeId));
      await decided(on, 2);
      for (const nodeId of ["c", "d"]) on.dispatcher.send(sending(nodeId, once));
      await decided(on, 4);
      expect(paths(bridge)).toEqual([DISPATCH_BATCH_PATH, ...Array<string>(4).fill(DISPATCH_PATH)]);
      expect(on.reports).toEqual([]);
    },
  );

  it("is sent by the older route when it has no other, at once from then on", async () => {
    const bridge = await newBridge(has(DISPATCH_ALIAS));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a", once));
    await decided(on, 1);
    on.dispatcher.send(sending("b"));
    await decided(on, 2);
    expect(paths(bridge)).toEqual([DISPATCH_PATH, DISPATCH_ALIAS, DISPATCH_ALIAS]);
    expect(JSON.parse(bridge.asked[1]?.text ?? "")).toMatchObject({
      taskId: "run_1/a/1",
      dispatchId: "run_1/a/1",
      command: "Do it",
      message: "Do it",
      timeout: 60,
      timeoutMs: 60_000,
    });
  });

  it("is sent by the older route also what was under way while that route was found", async () => {
    let refuse: (reply: FakeReply) => void = () => undefined;
    const late = new Promise<FakeReply>((resolve) => (refuse = resolve));
    const bridge = await newBridge(({ path, dispatches: [only] }) => {
      if (path === DISPATCH_ALIAS) return { status: 202 };
      return path === DISPATCH_PATH && only?.stepId === "b" ? late : { status: 404 };
    });
    const on = await stage(bridge.url);
    for (const nodeId of ["a", "b"]) on.dispatcher.send(sending(nodeId));
    await until(() => paths(bridge).includes(DISPATCH_ALIAS) && paths(bridge).length === 4);
    // The server knows the route as soon as another dispatch goes there first.
    on.dispatcher.send(sending("c"));
    await until(() => paths(bridge).filter((path) => path === DISPATCH_ALIAS).length === 2);
    refuse({ status: 404 });
    await decided(on, 3);
    expect(on.reports).toEqual([]);
    expect(paths(bridge).filter((path) => path === DISPATCH_ALIAS)).toHaveLength(3);
  });

  it("fails what it has no route for, and is asked for all of them the next time", async () => {
    const bridge = await newBridge(has());
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await until(() => on.reports.length === 1);
    expect(on.reports[0]).toMatch(/^failed a dispatch_failed: the Bridge refused it \(404\)/);
    bridge.answer = has(DISPATCH_PATH);
    on.dispatcher.send(sending("b"));
    await decided(on, 1);
    expect(paths(bridge)).toEqual([DISPATCH_PATH, DISPATCH_ALIAS, DISPATCH_PATH]);
  });

  it("is asked again for what an older instance lacked", async () => {
    const bridge = await newBridge(has(DISPATCH_ALIAS));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    const instance = { id: "edge", instanceId: "two", instanceStartedAt: "2026-01-01T00:00:00Z", capabilities: [] };
    await on.directory.register(ORG, { ...instance, url: bridge.url, providers: ["ai-sdk"] });
    bridge.answer = has(DISPATCH_PATH);
    on.dispatcher.send(sending("b"));
    await until(() => paths(bridge).includes(DISPATCH_PATH) && on.clock.waits.length >= 3);
    expect(paths(bridge).filter((path) => path === DISPATCH_PATH)).toHaveLength(2);
  });

  it("answers later what it cannot answer at once", async () => {
    const bridge = await newBridge(has(DISPATCH_PATH));
    const on = await stage(bridge.url);
    for (const [index, nodeId] of ["a", "b"].entries()) {
      on.dispatcher.send(sending(nodeId, { isSync: true }));
      await decided(on, index + 1);
    }
    expect(paths(bridge)).toEqual([DISPATCH_SYNC_PATH, DISPATCH_PATH, DISPATCH_PATH]);
    expect(on.clock.waits).toEqual([30_000, 30_000]);
  });

  it("is waited for when it cannot be asked: what it has taken is not sent to it twice", async () => {
    const bridge = await newBridge(has(DISPATCH_PATH));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    await on.clock.pass(30_000);
    await decided(on, 2);
    await on.clock.pass(30_000);
    await decided(on, 3);
    expect(on.reports).toEqual([]);
    expect(posts(bridge)).toHaveLength(1);
  });
});

describe("what is too large for any Bridge", () => {
  it("fails at once, and nothing of it is sent", async () => {
    const bridge = await newBridge();
    const on = await stage(bridge.url);
    const one = sending("a");
    on.dispatcher.send({ ...one, body: { ...one.body, message: "x".repeat(DISPATCH_BYTES_MAX) } });
    on.dispatcher.send(sending("b"));
    await decided(on, 1);
    expect(on.reports).toEqual([
      expect.stringMatching(/^failed a dispatch_failed: the dispatch has \d+ bytes.*body_too_large/),
    ]);
    expect(posts(bridge).map(({ dispatches }) => dispatches.map(({ stepId }) => stepId))).toEqual([["b"]]);
  });
});

describe("a Bridge that asks to be left alone for a while", () => {
  it("is left alone for that long", async () => {
    const bridge = await newBridge(() => ({ status: 503, headers: { "retry-after": "7" } }));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    expect(on.clock.waits).toEqual([7_000]);
  });
});

describe("what may run only once", () => {
  it.each([
    ["a reset", "reset" as const],
    ["500", { status: 500 }],
    ["502", { status: 502 }],
    ["503 of who knows whom", { status: 503 }],
  ])("is never posted again after %s, and lost when the Bridge does not know it", async (_, reply) => {
    const bridge = await newBridge((asked) => (asked.method === "GET" ? UNKNOWN : reply));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a", once));
    await decided(on, 1);
    await on.clock.pass(1_000);
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["lost a"]);
    await on.clock.pass(600_000);
    expect([posts(bridge).length, questions(bridge).length]).toEqual([1, 1]);
  });

  it("is asked for as long as there is no answer", async () => {
    const bridge = await newBridge(() => "reset");
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a", once));
    await decided(on, 1);
    await on.clock.pass(1_000);
    await decided(on, 2);
    await on.clock.pass(30_000);
    await decided(on, 3);
    expect(on.clock.waits).toEqual([1_000, 30_000, 30_000]);
    bridge.answer = knows(view("a", "ended", { result: result("a") }));
    await on.clock.pass(30_000);
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["ended a completed"]);
    expect(posts(bridge)).toHaveLength(1);
  });

  it("is posted again after a connection that was certainly refused", async () => {
    const bridge = await newBridge();
    const on = await stage(await refusingUrl());
    on.dispatcher.send(sending("a", once));
    await decided(on, 1);
    await on.put("edge", bridge.url);
    await on.clock.pass(1_000);
    await decided(on, 2);
    expect(posts(bridge)).toHaveLength(1);
    expect(on.clock.waits).toEqual([1_000, 30_000]);
  });

  it("failed, and is not unknown, when every connection was refused", async () => {
    const on = await stage(await refusingUrl());
    on.dispatcher.send(sending("a", once));
    await passTries(on);
    await until(() => on.reports.length === 1);
    expect(on.reports[0]).toContain("failed a gateway_unreachable");
  });

  it.each([401, 429])("is posted again after %i, which refuses it before it begins", async (status) => {
    const bridge = await newBridge(() => ({ status }));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a", once));
    await decided(on, 1);
    await on.clock.pass(1_000);
    await decided(on, 2);
    expect(posts(bridge)).toHaveLength(2);
  });

  it("is posted again when the Bridge itself answers that it has not begun it", async () => {
    const bridge = await newBridge(() => ({ status: 503, body: { code: "journal_unavailable" } }));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a", once));
    await decided(on, 1);
    bridge.answer = acceptAll;
    await on.clock.pass(1_000);
    await decided(on, 2);
    expect(posts(bridge)).toHaveLength(2);
    expect(on.clock.waits).toEqual([1_000, 30_000]);
  });
});

describe("silence", () => {
  it("is broken after thirty seconds, and again while it runs", async () => {
    const bridge = await newBridge(knows(view("a", "running")));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    await on.clock.pass(29_999);
    expect(questions(bridge)).toHaveLength(0);
    await on.clock.pass(1);
    await decided(on, 2);
    expect(questions(bridge).map(({ path, token }) => [path, token])).toEqual([
      [`${EXECUTIONS_PATH}/run_1%2Fa%2F1`, "dsp_the_first"],
    ]);
    bridge.answer = knows(view("a", "ended", { result: result("a", { costUsd: 0.5 }) }));
    await on.clock.pass(30_000);
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["ended a completed"]);
    expect(on.results).toEqual([result("a", { costUsd: 0.5 })]);
    await on.clock.pass(600_000);
    expect(on.dispatcher.openCount).toBe(0);
    expect(bridge.asked).toHaveLength(3);
  });

  it.each([
    ["it is lost", view("a", "lost")],
    ["it is not known there", UNKNOWN],
  ])("ends as lost when %s", async (_, reply) => {
    const bridge = await newBridge(knows(reply));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    await on.clock.pass(30_000);
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["lost a"]);
    expect(on.dispatcher.isOpen("run_1/a/1")).toBe(false);
  });

  it.each([
    ["500", { status: 500 }],
    ["401", { status: 401 }],
    ["a reset", "reset" as const],
    ["no JSON", { status: 200, text: "<html>" }],
    ["null", { status: 200, text: "null" }],
    ["an unknown state", view("a", "sleeping")],
  ])("continues when the answer is %s", async (_, reply) => {
    const bridge = await newBridge(knows(reply));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    await on.clock.pass(30_000);
    await decided(on, 2);
    expect(on.clock.waits).toEqual([30_000, 30_000]);
    expect(on.reports).toEqual([]);
  });

  it.each([
    ["a negative cost", result("a", { costUsd: -1 })],
    ["half a token", result("a", { inputTokens: 1.5 })],
    ["another dispatch", result("b")],
    ["nothing", undefined],
    ["a text", "done"],
  ])("fails a result that no callback could have brought: %s", async (_, sent) => {
    const bridge = await newBridge(knows(view("a", "ended", { result: sent })));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    await on.clock.pass(30_000);
    await until(() => on.reports.length === 1);
    expect(on.reports[0]).toMatch(/^failed a dispatch_failed: the Bridge ran it, and its result is /);
  });

  it("survives a result nested deeper than calls may be", async () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const text = JSON.stringify({ state: "ended", result: result("a", { outputs: { deep: "HERE" } }) });
    const bridge = await newBridge(knows({ status: 200, text: text.replace('"HERE"', deep) }));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    await on.clock.pass(30_000);
    await until(() => on.reports.length === 1);
    expect(on.reports[0]).toContain("failed a dispatch_failed: the Bridge ran it, and its result is");
  });

  it("is broken again when the result could not be taken", async () => {
    const bridge = await newBridge(knows(view("a", "ended", { result: result("a") })));
    const on = await stage(bridge.url);
    on.taking.isTaken = false;
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    await on.clock.pass(30_000);
    await decided(on, 2);
    expect(on.dispatcher.isOpen("run_1/a/1")).toBe(true);
    on.taking.isTaken = true;
    await on.clock.pass(30_000);
    await until(() => on.reports.length === 2 && on.dispatcher.openCount === 0);
    expect(on.reports).toEqual(["ended a completed", "ended a completed"]);
  });

  it("waits for a gateway that is not registered at the moment", async () => {
    const bridge = await newBridge();
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    await on.directory.remove(ORG, "edge");
    await on.clock.pass(30_000);
    await decided(on, 2);
    expect(on.clock.waits).toEqual([30_000, 30_000]);
    expect(on.dispatcher.openCount).toBe(1);
  });
});

describe("another instance", () => {
  const register = (on: Stage, bridge: FakeBridge, instanceId: string) =>
    on.directory.register(ORG, {
      id: "edge",
      url: bridge.url,
      instanceId,
      instanceStartedAt: "2026-01-01T00:00:00Z",
      capabilities: [],
      providers: ["ai-sdk"],
    });

  it("is asked at once for what the one before it had taken", async () => {
    const bridge = await newBridge();
    const on = await stage(bridge.url);
    await register(on, bridge, "one");
    on.dispatcher.send(sending("a"));
    on.dispatcher.send(sending("b"));
    await decided(on, 2);
    bridge.answer = ({ path }) => (path.includes("%2Fa%2F") ? view("a", "running") : UNKNOWN);
    await register(on, bridge, "two");
    await on.clock.pass(0);
    await until(() => on.reports.length === 1 && on.clock.waits.length === 5);
    expect(on.reports).toEqual(["lost b"]);
    expect(questions(bridge)).toHaveLength(2);
    expect(on.clock.waits).toEqual([30_000, 30_000, 0, 0, 30_000]);
  });

  it("is sent at once, with tries of its own, what the one before it did not take", async () => {
    const bridge = await newBridge(() => ({ status: 429 }));
    const on = await stage(bridge.url);
    await register(on, bridge, "one");
    on.dispatcher.send(sending("a", once));
    await decided(on, 1);
    await on.clock.pass(1_000);
    await decided(on, 2);
    await on.clock.pass(4_000);
    await decided(on, 3);
    bridge.answer = acceptAll;
    await register(on, bridge, "two");
    await decided(on, 4);
    expect(posts(bridge)).toHaveLength(4);
    expect(on.clock.waits).toEqual([1_000, 4_000, 5_000, 30_000]);
    await on.clock.pass(16_000);
    expect(questions(bridge)).toEqual([]);
    expect(on.reports).toEqual([]);
  });

  it("is not sent what the one before it has made progress with", async () => {
    const bridge = await newBridge(() => ({ status: 500 }));
    const on = await stage(bridge.url);
    await register(on, bridge, "one");
    for (const nodeId of ["a", "b"]) on.dispatcher.send(sending(nodeId));
    await decided(on, 2);
    on.progress.add("a");
    bridge.answer = (asked) => (asked.path.startsWith(EXECUTIONS_PATH) ? UNKNOWN : acceptAll(asked));
    await register(on, bridge, "two");
    await until(() => on.reports.length === 1 && on.clock.waits.length === 3);
    expect(on.reports).toEqual(["lost a"]);
    expect(posts(bridge).map(({ dispatches }) => dispatches.map(({ stepId }) => stepId))).toEqual([["a", "b"], ["b"]]);
  });

  it("is not sent what an earlier process of the server had sent to the one before it, once that has made progress", async () => {
    const url = await refusingUrl();
    const bridge = await newBridge(knows(UNKNOWN));
    const on = await stage(url);
    for (const nodeId of ["a", "b", "c"]) on.dispatcher.send(sending(nodeId, { isResend: nodeId !== "c" }));
    await decided(on, 3);
    on.progress.add("a");
    await register(on, bridge, "two");
    await until(() => on.reports.length === 1 && on.clock.waits.length === 5);
    expect(on.reports).toEqual(["lost a"]);
    expect(
      posts(bridge)
        .flatMap(({ dispatches }) => dispatches.map(({ stepId }) => stepId))
        .toSorted(),
    ).toEqual(["b", "c"]);
  });

  it("is not sent what may have begun and must not begin twice, nor another gateway's", async () => {
    const [bridge, other] = [await newBridge(() => ({ status: 500 })), await newBridge()];
    const on = await stage(bridge.url);
    await register(on, bridge, "one");
    await on.put("other", other.url);
    on.dispatcher.send(sending("a", once));
    on.dispatcher.send(sending("b", { gatewayId: "other" }));
    await decided(on, 2);
    bridge.answer = (asked) => (asked.path.startsWith(EXECUTIONS_PATH) ? UNKNOWN : acceptAll(asked));
    await register(on, bridge, "two");
    await on.clock.pass(1_000);
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["lost a"]);
    expect(posts(bridge)).toHaveLength(1);
    expect(questions(other)).toEqual([]);
  });
});

describe("what another process sent", () => {
  it("is asked for at once, and never sent", async () => {
    const bridge = await newBridge(knows(view("a", "running")));
    const on = await stage(bridge.url);
    on.dispatcher.adopt(about("a", once));
    await decided(on, 1);
    expect(on.dispatcher.isOpen("run_1/a/1")).toBe(true);
    bridge.answer = knows(view("a", "ended", { result: result("a") }));
    await on.clock.pass(30_000);
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["ended a completed"]);
    expect(posts(bridge)).toHaveLength(0);
  });

  it("is lost when the Bridge does not know it, and waited for while it cannot be asked", async () => {
    const bridge = await newBridge(() => "reset");
    const on = await stage(bridge.url);
    on.dispatcher.adopt(about("a", once));
    await decided(on, 1);
    expect(on.reports).toEqual([]);
    bridge.answer = acceptAll;
    await on.clock.pass(30_000);
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["lost a"]);
  });
});

describe("calling off", () => {
  const cancels = (bridge: FakeBridge) => bridge.asked.filter(({ path }) => path.endsWith("/cancel"));

  it("notifies the Bridge, and asks no more", async () => {
    const bridge = await newBridge();
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    on.dispatcher.cancel(ORG, "edge", "run_1/a/1");
    await until(() => cancels(bridge).length === 1);
    expect(cancels(bridge)).toMatchObject([
      { method: "POST", path: `${EXECUTIONS_PATH}/run_1%2Fa%2F1/cancel`, token: "dsp_the_first", text: "{}" },
    ]);
    await on.clock.pass(600_000);
    expect(bridge.asked).toHaveLength(2);
    expect(on.dispatcher.openCount).toBe(0);
  });

  it("notifies the Bridge also of what another process sent, and none of what has no gateway", async () => {
    const bridge = await newBridge();
    const on = await stage(bridge.url);
    on.dispatcher.cancel(ORG, "missing", "run_1/x/1");
    on.dispatcher.cancel(ORG, "edge", "run_1/b/1");
    await until(() => cancels(bridge).length === 1);
    expect(bridge.asked).toHaveLength(1);
  });

  it("sends nothing that was called off before it left", async () => {
    const bridge = await newBridge();
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    on.dispatcher.send(sending("b"));
    on.dispatcher.cancel(ORG, "edge", "run_1/a/1");
    await decided(on, 1);
    expect(bridge.asked.map(({ dispatches }) => dispatches.map(({ stepId }) => stepId))).toEqual([["b"]]);
  });

  it("does not try again what was called off while it waited", async () => {
    const bridge = await newBridge(() => ({ status: 503 }));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    on.dispatcher.cancel(ORG, "edge", "run_1/a/1");
    await until(() => cancels(bridge).length === 1);
    await on.clock.pass(600_000);
    expect(posts(bridge)).toHaveLength(1);
    expect(on.reports).toEqual([]);
  });

  it("sends it again when the Bridge took the dispatch only afterwards", async () => {
    let take: (reply: FakeReply) => void = () => undefined;
    const bridge = await newBridge((asked) =>
      asked.dispatches.length > 0 ? new Promise<FakeReply>((resolve) => (take = resolve)) : { status: 404 },
    );
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await until(() => posts(bridge).length === 1);
    on.dispatcher.cancel(ORG, "edge", "run_1/a/1");
    await until(() => cancels(bridge).length === 1);
    take({ status: 202, body: {} });
    await until(() => cancels(bridge).length === 2);
    expect(on.reports).toEqual([]);
  });
});

describe("answers given at once", () => {
  const sync = { isSync: true } as const;

  it("end the attempt", async () => {
    const bridge = await newBridge(() => ({ status: 200, body: result("a", { executionPath: "sync" }) }));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a", sync));
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["ended a completed"]);
    expect(bridge.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([`POST ${DISPATCH_SYNC_PATH}`]);
    expect(JSON.parse(bridge.asked[0]?.text ?? "")).toEqual(sending("a").body);
    expect(on.dispatcher.openCount).toBe(0);
  });

  it("are tried for half a minute when there are none, and then asked for", async () => {
    const bridge = await newBridge(({ method }) => (method === "GET" ? view("a", "running") : "reset"));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a", sync));
    await passTries(on);
    await decided(on, 9);
    expect(on.clock.waits).toEqual([...TRY_WAITS, 0, 30_000]);
    expect(bridge.to("POST", DISPATCH_SYNC_PATH)).toHaveLength(8);
  });

  it("are only asked for when the work may run only once", async () => {
    const bridge = await newBridge(({ method }) => (method === "GET" ? UNKNOWN : "reset"));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a", { ...sync, ...once }));
    await decided(on, 1);
    await on.clock.pass(1_000);
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["lost a"]);
    expect(bridge.to("POST", DISPATCH_SYNC_PATH)).toHaveLength(1);
  });

  it("may be refusals, or unreadable", async () => {
    const bridge = await newBridge(() => ({ status: 422, body: { detail: "No." } }));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a", sync));
    await until(() => on.reports.length === 1);
    bridge.answer = () => ({ status: 200, text: "<html>" });
    on.dispatcher.send(sending("b", sync));
    await until(() => on.reports.length === 2);
    expect(on.reports[0]).toBe("failed a dispatch_failed: the Bridge refused it (422): No.");
    expect(on.reports[1]).toMatch(/^failed b dispatch_failed: the Bridge ran it, and its result is not valid/);
  });

  it("have no gateway to come from when it is gone", async () => {
    const on = await stage("http://127.0.0.1:9");
    on.dispatcher.send(sending("a", { ...sync, gatewayId: "missing" }));
    await until(() => on.reports.length === 1);
    expect(on.reports).toEqual(["failed a gateway_unreachable: its gateway is no longer registered"]);
  });
});

describe("the end", () => {
  it("leaves nothing open: no wait, no question, no word", async () => {
    const bridge = await newBridge();
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    bridge.answer = () => ({ status: 503 });
    on.dispatcher.send(sending("b"));
    await decided(on, 2);
    bridge.answer = () => "hang";
    on.dispatcher.send(sending("c"));
    await until(() => posts(bridge).length === 3);
    on.dispatcher.send(sending("d"));
    on.dispatcher.close();
    expect(on.dispatcher.openCount).toBe(0);
    on.dispatcher.send(sending("e"));
    on.dispatcher.adopt(about("f"));
    await on.clock.pass(600_000);
    on.agent.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(bridge.asked).toHaveLength(3);
    expect(on.reports).toEqual([]);
    expect(on.dispatcher.openCount).toBe(0);
  });

  it("of an attempt is its last word: an answer that comes afterwards changes nothing", async () => {
    const bridge = await newBridge(knows(view("a", "ended", { result: result("a") })));
    const on = await stage(bridge.url);
    on.dispatcher.send(sending("a"));
    await decided(on, 1);
    on.dispatcher.forget("run_1/a/1");
    await on.clock.pass(600_000);
    expect(on.reports).toEqual([]);
    expect(bridge.asked).toHaveLength(1);
  });
});
