import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { type Answer, type Api, ORG, STRANGER } from "../../test/api/fixture.ts";
import { EDGE_TOKEN, edgeOf, openEdge } from "../../test/api/edge.ts";
import { type FakeBridge, until } from "../../test/gateway/fake-bridge.ts";
import { CALLBACK_BATCH_PATH, CALLBACK_BYTES_MAX, CALLBACK_PATH, STREAM_PATH } from "../bridge/index.ts";

const OTHER_TOKEN = "cbt_of_the_other_gateway";
const STRANGE_TOKEN = "cbt_of_another_organisation";

const ONE = "name: one\nsteps: [{ id: a, command: go }]\n";
const CHAIN = "name: chain\nsteps: [{ id: a, command: go }, { id: b, command: go, depends_on: [a] }]\n";

let api: Api;
let bridge: FakeBridge;

beforeAll(async () => {
  ({ api, bridge } = await openEdge());
  const put = async (id: string, body: object, key?: string): Promise<void> => {
    const options = key === undefined ? { body } : { body, key };
    const { status } = await api.request("PUT", `gateways/${id}`, options);
    if (status !== 200) throw new Error(`${id} was not registered`);
  };
  await put("other", { url: bridge.url, providers: ["other"], callback_token: OTHER_TOKEN });
  await put("edge", { ...edgeOf(bridge), callback_token: STRANGE_TOKEN }, STRANGER);
  await api.save(ONE);
  await api.save(CHAIN);
});
afterAll(async () => {
  await api.close();
  await bridge.close();
});

/** A run whose first node is at the Bridge. */
async function begun(workflow = "one"): Promise<string> {
  const { status, body } = await api.request("POST", "runs", { body: { workflow } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  await until(() => bridge.asked.some(({ dispatches }) => dispatches.some(({ runId }) => runId === body.id)));
  return body.id;
}

const callback = (runId: string, more: object = {}): object => ({
  dispatchId: `${runId}/a/1`,
  runId,
  stepId: "a",
  attempt: 1,
  status: "completed",
  stdout: "done",
  startedAt: "2026-01-01T00:00:00Z",
  completedAt: "2026-01-01T00:00:01.5+02:00",
  ...more,
});

const post = (
  path: string,
  body: unknown,
  { token = EDGE_TOKEN, headers = {} }: { token?: string | null; headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> =>
  api.request("POST", path, {
    key: null,
    body,
    headers: { ...(token === null ? {} : { "x-gateway-token": token }), ...headers },
  });
const send = (body: unknown, options?: Parameters<typeof post>[2]): Promise<Answer> =>
  post(CALLBACK_PATH, body, options);
const replied = ({ status, body }: Answer): unknown => [status, body.code ?? body];
const RECEIVED = [200, { received: true }];
const DEDUPLICATED = [200, { received: true, deduplicated: true }];
const DISCARDED = [200, { received: true, discarded: true }];

const runOf = async (runId: string) => (await api.request("GET", `runs/${runId}`)).body;
const eventCount = async (runId: string): Promise<number> => (await api.store.readEvents(ORG, runId, 0, 10_000)).length;

const failureOf = async (runId: string): Promise<string | undefined> =>
  (await api.store.readEvents(ORG, runId, 0, 10_000)).flatMap((event) =>
    event.type === "node.failed" ? [event.payload.errorCode] : [],
  )[0];

describe("a callback", () => {
  it("is received once and deduplicated afterwards, whatever it says then", async () => {
    const runId = await begun();
    expect(replied(await send(callback(runId, { costUsd: 0.5 })))).toEqual(RECEIVED);
    expect(replied(await send(callback(runId, { costUsd: 0.5 })))).toEqual(DEDUPLICATED);
    expect(replied(await send(callback(runId, { status: "failed", error: "no", costUsd: 9 })))).toEqual(DEDUPLICATED);
    expect(await runOf(runId)).toMatchObject({ status: "completed", costMicros: 500_000 });
  });

  it("is deferred once, and final once after that", async () => {
    const runId = await begun();
    expect(replied(await send(callback(runId, { status: "deferred" })))).toEqual(RECEIVED);
    expect(replied(await send(callback(runId, { status: "deferred" })))).toEqual(DEDUPLICATED);
    expect(replied(await send(callback(runId)))).toEqual(RECEIVED);
    expect(replied(await send(callback(runId, { status: "deferred" })))).toEqual(DEDUPLICATED);
  });

  it("is discarded when the run was cancelled, and its cost is kept", async () => {
    const runId = await begun();
    await api.request("POST", `runs/${runId}/cancel`, { body: { reason: "enough" } });
    expect(replied(await send(callback(runId, { costUsd: 0.25, inputTokens: 10 })))).toEqual(DISCARDED);
    expect(replied(await send(callback(runId, { costUsd: 0.25, inputTokens: 10 })))).toEqual(DEDUPLICATED);
    expect(await runOf(runId)).toMatchObject({ status: "cancelled", costMicros: 250_000 });
  });

  it.each(["failed", "timed_out", "cancelled"])("ends an attempt as %s", async (status) => {
    const runId = await begun();
    expect(replied(await send(callback(runId, { status, error: "it broke", errorCode: "provider_error" })))).toEqual(
      RECEIVED,
    );
    expect((await runOf(runId)).status).toBe("failed");
  });

  it("lets the run go on", async () => {
    const runId = await begun("chain");
    await send(callback(runId));
    await until(() =>
      bridge.asked.some(({ dispatches }) => dispatches.some((one) => one.dispatchId === `${runId}/b/1`)),
    );
    expect(replied(await send(callback(runId, { dispatchId: `${runId}/b/1`, stepId: "b" })))).toEqual(RECEIVED);
    expect((await runOf(runId)).status).toBe("completed");
  });

  it("may say more than is asked for", async () => {
    const runId = await begun();
    const { status, body } = await send(callback(runId, { later: { version: 3 }, spark: 1 }));
    expect([status, body.received]).toEqual([200, true]);
    expect(body.warnings).toEqual([expect.stringContaining('left out: "later", "spark"')]);
    const logged = (await api.store.readEvents(ORG, runId, 0, 100)).filter(({ type }) => type === "node.log");
    expect(JSON.stringify(logged)).toContain("later");
  });

  it("may be spelled as the first description of the wire has it", async () => {
    const runId = await begun();
    const said = {
      taskId: `${runId}/a/1`,
      status: "completed",
      outputs: "the answer",
      started_at: 1_767_225_600_000,
      cost: 0.5,
      input_tokens: 100,
      output_tokens: 20,
      execution_path: "bridge",
      error: null,
    };
    expect(replied(await send(said))).toEqual(RECEIVED);
    const run = await runOf(runId);
    expect(run).toMatchObject({ status: "completed", costMicros: 500_000 });
    const { body } = await api.request("GET", `runs/${runId}/nodes/a`);
    expect(JSON.stringify(body)).toContain("the answer");
  });

  it("keeps the code of a failure in either spelling, and what it cost", async () => {
    const runId = await begun();
    const said = {
      dispatch_id: `${runId}/a/1`,
      status: "failed",
      error: "too big",
      error_code: "context_length",
      cost: 0.1,
    };
    expect(replied(await send(said))).toEqual(RECEIVED);
    expect(await failureOf(runId)).toBe("context_length");
    expect(await runOf(runId)).toMatchObject({ costMicros: 100_000 });
  });

  it("may name run and step alone, which means the newest attempt", async () => {
    const runId = await begun();
    expect(replied(await send({ runId, stepId: "a", status: "completed", stdout: "done" }))).toEqual(RECEIVED);
    expect((await runOf(runId)).status).toBe("completed");
    expect(replied(await send({ runId, stepId: "b", status: "completed" }))).toEqual([404, "unknown_dispatch"]);
    expect((await send({ status: "completed" })).status).toBe(422);
  });
});

describe("who sends it", () => {
  it.each([
    ["no token", null],
    ["an empty token", ""],
    ["an unknown token", "cbt_nobody_has"],
    ["the dispatch token", "dsp_of_the_edge"],
    ["an endless token", "x".repeat(1_001)],
    ["an API key", STRANGER],
  ])("is unknown with %s, and nothing of the body is read", async (_, token) => {
    let reads = 0;
    const body = new ReadableStream(
      {
        pull(controller) {
          reads += 1;
          controller.enqueue(new TextEncoder().encode("{"));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    for (const path of [CALLBACK_PATH, CALLBACK_BATCH_PATH, STREAM_PATH]) {
      expect(replied(await post(path, "{", { token }))).toEqual([401, "unauthenticated"]);
    }
    expect(replied(await send(body, { token }))).toEqual([401, "unauthenticated"]);
    expect(reads).toBe(0);
  });

  it("must be the gateway it went to, of the same organisation", async () => {
    const runId = await begun();
    const before = await eventCount(runId);
    for (const token of [OTHER_TOKEN, STRANGE_TOKEN]) {
      expect(replied(await send(callback(runId, { costUsd: 1 }), { token }))).toEqual([404, "unknown_dispatch"]);
      const partials = { dispatchId: `${runId}/a/1`, deltas: [{ index: 0, text: "x" }] };
      expect(replied(await post(STREAM_PATH, partials, { token }))).toEqual([404, "unknown_dispatch"]);
    }
    expect(await eventCount(runId)).toBe(before);
    expect(replied(await send(callback(runId)))).toEqual(RECEIVED);
  });

  it("is no browser's business: only POST is taken", async () => {
    expect((await api.request("GET", CALLBACK_PATH, { headers: { "x-gateway-token": EDGE_TOKEN } })).status).toBe(405);
  });
});

describe("what it is about", () => {
  it.each([
    ["another run", { dispatchId: "run_nobody/a/1", runId: "run_nobody" }],
    ["another node", { stepId: "missing" }],
    ["an attempt to come", { attempt: 2 }],
    ["no attempt", { dispatchId: "nonsense" }],
    ["a prototype", { stepId: "__proto__" }],
  ])("is not there: %s", async (_, part) => {
    const runId = await begun();
    const { dispatchId: _id, ...body } = { dispatchId: "", ...callback(runId, part) } as Record<string, unknown>;
    const dispatchId =
      "dispatchId" in part ? part.dispatchId : `${runId}/${String(body["stepId"])}/${String(body["attempt"])}`;
    expect(replied(await send({ ...body, dispatchId }))).toEqual([404, "unknown_dispatch"]);
  });

  it.each([
    ["run", { runId: "run_other" }],
    ["step", { stepId: "b" }],
    ["attempt", { attempt: 2 }],
  ])("is stale when its %s disagrees with its dispatchId", async (_, part) => {
    const runId = await begun();
    const before = await eventCount(runId);
    expect(replied(await send(callback(runId, { ...part, costUsd: 1 })))).toEqual([409, "stale_attempt"]);
    expect(await eventCount(runId)).toBe(before);
    const unknown = callback(runId, { ...part, dispatchId: `${runId}/a/7` });
    expect(replied(await send(unknown))).toEqual([404, "unknown_dispatch"]);
    expect(replied(await send(callback(runId, part), { token: OTHER_TOKEN }))).toEqual([404, "unknown_dispatch"]);
    expect(replied(await send(callback(runId)))).toEqual(RECEIVED);
  });
});

describe("what it weighs and how it is written", () => {
  const padded = (runId: string, size: number): string => {
    const bare = JSON.stringify(callback(runId, { logs: [{ level: "info", message: "" }] }));
    const pad = "x".repeat(size - Buffer.byteLength(bare));
    return JSON.stringify(callback(runId, { logs: [{ level: "info", message: pad }] }));
  };

  it.each([
    ["one less", CALLBACK_BYTES_MAX - 1, RECEIVED],
    ["5 MiB", CALLBACK_BYTES_MAX, RECEIVED],
    ["one more", CALLBACK_BYTES_MAX + 1, [413, "body_too_large"]],
  ])("is at most 5 MiB: %s", async (_, size, answer) => {
    const runId = await begun();
    const body = padded(runId, size);
    expect(Buffer.byteLength(body)).toBe(size);
    expect(replied(await send(body))).toEqual(answer);
    // Nothing waits for a result that was refused for its size.
    const isTaken = answer === RECEIVED;
    expect((await runOf(runId)).status).toBe(isTaken ? "completed" : "failed");
    expect(await failureOf(runId)).toBe(isTaken ? undefined : "body_too_large");
  });

  it("is too large for its attempt only when it is its gateway's", async () => {
    const runId = await begun();
    const body = padded(runId, CALLBACK_BYTES_MAX + 1);
    expect(replied(await send(body, { token: OTHER_TOKEN }))).toEqual([413, "body_too_large"]);
    expect((await runOf(runId)).status).toBe("running");
    const late = `{"outputs":{"big":"${"x".repeat(CALLBACK_BYTES_MAX)}"},"task_id":"${runId}/a/1"}`;
    expect(replied(await send(late))).toEqual([413, "body_too_large"]);
    expect((await runOf(runId)).status).toBe("failed");
  });

  it("is at most 5 MiB in a batch too, and the others are taken", async () => {
    const [first, second] = [await begun(), await begun()];
    const body = `{"callbacks":[${padded(first, CALLBACK_BYTES_MAX + 1)},${JSON.stringify(callback(second))}]}`;
    const answer = await post(CALLBACK_BATCH_PATH, body);
    expect(answer.body.results.map((one: Answer) => replied(one))).toEqual([[413, "body_too_large"], RECEIVED]);
    expect((await runOf(first)).status).toBe("failed");
  });

  it("is refused by what it says it weighs, before it is read", async () => {
    const answer = await send("{}", { headers: { "content-length": String(CALLBACK_BYTES_MAX + 1) } });
    expect(replied(answer)).toEqual([413, "body_too_large"]);
  });

  it.each([
    ["gzip", { "content-encoding": "gzip" }],
    ["text", { "content-type": "text/plain" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["YAML", { "content-type": "application/yaml" }],
    ["UTF-16", { "content-type": "application/json; charset=utf-16" }],
  ])("is plain JSON in UTF-8, not %s", async (_, headers) => {
    expect(replied(await send("{}", { headers }))).toEqual([415, "unsupported_media_type"]);
  });

  const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

  it.each([
    ["nothing", ""],
    ["half of it", JSON.stringify(callback("run_1")).slice(0, -10)],
    ["no JSON", "status: completed"],
    ["two values", "{}{}"],
    ["bytes that are no text", new Uint8Array([0x7b, 0xff, 0x7d])],
    ["65 levels", nested(65)],
    ["500,000 levels", nested(500_000)],
    ["__proto__", '{"outputs":{"__proto__":{"isAdmin":true}}}'],
    ["__proto__ within a list", '{"messages":[{"__proto__":1}]}'],
    ["__proto__ with escapes", String.raw`{"outputs":{"\u005f_pr\u006fto__":{"isAdmin":true}}}`],
  ])("is not read: %s", async (_, body) => {
    expect(replied(await send(body))).toEqual([400, "bad_json"]);
  });

  it("may speak of __proto__, hold strange text, and names of methods", async () => {
    const runId = await begun();
    const outputs = { text: "use __proto__ \u005f", constructor: { toString: 1 }, list: [["__proto__"]] };
    expect(replied(await send(callback(runId, { outputs, stdout: "nul \0 half \ud800" })))).toEqual(RECEIVED);
    expect((await runOf(runId)).status).toBe("completed");
  });
});

describe("what it must say", () => {
  it.each([
    ["a list", [], ""],
    ["null", null, ""],
    ["an unknown status", { status: "done" }, "status"],
    ["an attempt of 0", { attempt: 0 }, "attempt"],
    ["half an attempt", { attempt: 1.5 }, "attempt"],
    ["an attempt in a text", { attempt: "1" }, "attempt"],
    ["no dispatch", { dispatchId: "" }, "dispatchId"],
    ["an endless dispatch", { dispatchId: "x".repeat(401) }, "dispatchId"],
    ["outputs that are a list", { outputs: [] }, "outputs"],
    ["a time that is none", { completedAt: "yesterday" }, "completedAt"],
    ["a log that is none", { logs: 5 }, "logs"],
    ["a message that is a text", { messages: ["hello"] }, "messages[0]"],
  ])("is refused with %s, by its place", async (_, part, path) => {
    const body = Array.isArray(part) || part === null ? part : callback("run_1", part);
    const answer = await send(body === null ? "null" : body);
    expect(replied(answer)).toEqual([422, "invalid_request"]);
    expect(answer.body.problems).toMatchObject([{ path, code: "wrong_type", message: expect.any(String) }]);
  });

  it("says everything that is missing at once", async () => {
    const { body } = await send({ status: "completed" });
    expect(body.problems.map(({ path }: { path: string }) => path)).toEqual([
      "dispatchId",
      "runId",
      "stepId",
      "attempt",
    ]);
  });

  it.each([
    ["costUsd", -1],
    ["costUsd", 1e12],
    ["costUsd", "1"],
    ["costUsd", null],
    ["costUsd", 1_000_000.01],
    ["inputTokens", 1.5],
    ["inputTokens", -1],
    ["outputTokens", "7"],
    ["thinkingTokens", 1e15],
    ["cachedTokens", true],
    ["totalTokens", [1]],
  ])("counts within range: %s is not %j", async (field, value) => {
    const runId = await begun();
    const before = await eventCount(runId);
    const answer = await send(callback(runId, { [field]: value }));
    expect(replied(answer)).toEqual([422, "usage_range"]);
    expect(answer.body.problems).toMatchObject([{ path: field, code: "usage_range" }]);
    expect(await eventCount(runId)).toBe(before);
  });

  it("counts within range: NaN and Infinity are no JSON, 1e999 is no number", async () => {
    const text = JSON.stringify(callback("run_1", { costUsd: "HERE" }));
    expect((await send(text.replace('"HERE"', "NaN"))).status).toBe(400);
    expect(replied(await send(text.replace('"HERE"', "1e999")))).toEqual([422, "usage_range"]);
  });

  it.each([0, 1_000_000])("counts up to its limits: %i", async (costUsd) => {
    const runId = await begun();
    expect(replied(await send(callback(runId, { costUsd, inputTokens: 0, totalTokens: 1_000_000_000_000 })))).toEqual(
      RECEIVED,
    );
  });
});

describe("a batch", () => {
  it("answers each on its own, in its order", async () => {
    const [first, second, third] = [await begun(), await begun(), await begun()];
    await send(callback(second));
    const callbacks = [
      callback(first),
      callback(second),
      callback(first, { costUsd: -1 }),
      callback("run_nobody"),
      { status: "completed" },
      callback(third, { attempt: 2 }),
      "nonsense",
      callback(third),
    ];
    const { status, body } = await post(CALLBACK_BATCH_PATH, { callbacks });
    expect(status).toBe(200);
    expect(body.results.map((one: Answer) => replied(one))).toEqual([
      RECEIVED,
      DEDUPLICATED,
      [422, "usage_range"],
      [404, "unknown_dispatch"],
      [422, "invalid_request"],
      [409, "stale_attempt"],
      [422, "invalid_request"],
      RECEIVED,
    ]);
    expect(body.results[4].body).toMatchObject({ status: 422, title: expect.any(String), problems: expect.any(Array) });
  });

  it("takes one of the same callback twice", async () => {
    const runId = await begun();
    const { body } = await post(CALLBACK_BATCH_PATH, { callbacks: [callback(runId), callback(runId)] });
    expect(body.results.map((one: Answer) => replied(one))).toEqual([RECEIVED, DEDUPLICATED]);
  });

  it.each([
    [0, 422],
    [1, 200],
    [63, 200],
    [64, 200],
    [65, 422],
  ])("holds up to 64: %i", async (count, status) => {
    const callbacks = Array.from({ length: count }, () => callback("run_nobody"));
    const answer = await post(CALLBACK_BATCH_PATH, { callbacks });
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body.results).toHaveLength(count);
  });

  it.each([
    ["nothing", {}],
    ["no list", { callbacks: {} }],
    ["a bare list", []],
  ])("is refused with %s", async (_, body) => {
    expect(replied(await post(CALLBACK_BATCH_PATH, body))).toEqual([422, "invalid_request"]);
  });
});

describe("partials", () => {
  const partials = (runId: string, deltas: unknown): object => ({ dispatchId: `${runId}/a/1`, deltas });

  it("are recorded once each, in their order, and not after the end", async () => {
    const runId = await begun();
    const media = { url: "https://example.org/a.png", mime: "image/png" };
    expect(replied(await post(STREAM_PATH, partials(runId, [{ index: 0, text: "one" }])))).toEqual(RECEIVED);
    const more = [
      { index: 0, text: "one" },
      { index: 1, media },
    ];
    expect(replied(await post(STREAM_PATH, partials(runId, more)))).toEqual(RECEIVED);
    await send(callback(runId));
    expect(replied(await post(STREAM_PATH, partials(runId, [{ index: 2, text: "late" }])))).toEqual(DISCARDED);
    const deltas = (await api.store.readEvents(ORG, runId, 0, 100)).filter(({ type }) => type === "node.stream.delta");
    expect(deltas.map(({ payload }) => payload)).toMatchObject([{ text: "one" }, { media }]);
  });

  it("may be spelled as callbacks may, and name run, step and attempt instead of the dispatch", async () => {
    const runId = await begun();
    const sent = [
      { dispatch_id: `${runId}/a/1`, deltas: [{ index: 0, text: "one" }] },
      { taskId: `${runId}/a/1`, type: "step_stream", deltas: [{ index: 1, text: "two" }] },
      { run_id: runId, step_id: "a", attempt: 1, deltas: [{ index: 2, text: "three" }] },
      { runId, stepId: "a", deltas: [{ index: 3, text: "four" }] },
    ];
    for (const body of sent) expect(replied(await post(STREAM_PATH, body))).toEqual(RECEIVED);
    const odd = await post(STREAM_PATH, { ...sent[0], mood: "good" });
    expect(odd.body.warnings).toEqual([expect.stringContaining('"mood"')]);
    await send(callback(runId));
    const deltas = (await api.store.readEvents(ORG, runId, 0, 100)).filter(({ type }) => type === "node.stream.delta");
    const texts = deltas.map(({ payload }) => ("text" in payload ? payload.text : ""));
    expect(texts.join("")).toBe("onetwothreefour");
  });

  it("are of a dispatch that is there", async () => {
    const runId = await begun();
    for (const dispatchId of ["nonsense", "run_nobody/a/1", `${runId}/b/1`, `${runId}/a/2`]) {
      const answer = await post(STREAM_PATH, { dispatchId, deltas: [{ index: 0, text: "x" }] });
      expect(replied(answer)).toEqual([404, "unknown_dispatch"]);
    }
  });

  it.each([
    ["none", []],
    ["too many", Array.from({ length: 1_001 }, (_, index) => ({ index, text: "" }))],
    ["no index", [{ text: "x" }]],
    ["a negative index", [{ index: -1, text: "x" }]],
    ["half an index", [{ index: 0.5, text: "x" }]],
    ["neither text nor media", [{ index: 0 }]],
    ["media without a type", [{ index: 0, media: { url: "https://example.org" } }]],
  ])("are refused with %s", async (_, deltas) => {
    expect(replied(await post(STREAM_PATH, partials("run_1", deltas)))).toEqual([422, "invalid_request"]);
  });

  it("are at most a thousand at once", async () => {
    const runId = await begun();
    const deltas = Array.from({ length: 1_000 }, (_, index) => ({ index, text: "x" }));
    expect(replied(await post(STREAM_PATH, partials(runId, deltas)))).toEqual(RECEIVED);
  });
});

describe("a ticket", () => {
  const ticketOf = (runId: string, more: object = {}): string =>
    api.gateways.tickets.write({
      orgId: ORG,
      runId,
      nodeId: "a",
      attempt: 1,
      expiresAt: Date.now() + 60_000,
      ...more,
    });
  const use = (ticket: string, body: unknown = { outputs: { ok: true } }): Promise<Answer> =>
    post(`/api/v1/callbacks/${ticket}`, body, { token: null });

  it("is good once, without any key, for work that was deferred", async () => {
    const runId = await begun();
    await send(callback(runId, { status: "deferred" }));
    const dispatched = bridge.asked.flatMap(({ dispatches }) => dispatches).find((one) => one.runId === runId);
    const ticket = dispatched?.externalCallbackUrl?.split("/").at(-1) ?? "";
    expect(replied(await use(ticket, { stdout: "from outside", costUsd: 0.5 }))).toEqual(RECEIVED);
    expect(replied(await use(ticket, { stdout: "again", costUsd: 9 }))).toEqual(DEDUPLICATED);
    expect(replied(await use(ticket, { status: "failed" }))).toEqual(DEDUPLICATED);
    expect(await runOf(runId)).toMatchObject({ status: "completed", costMicros: 500_000 });
  });

  it("may say that the work failed", async () => {
    const runId = await begun();
    expect(
      replied(await use(ticketOf(runId), { status: "failed", error: "no", errorCode: "provider_refused" })),
    ).toEqual(RECEIVED);
    expect((await runOf(runId)).status).toBe("failed");
  });

  it("is for its own attempt, whatever the body says", async () => {
    const [mine, other] = [await begun(), await begun()];
    const body = callback(other, { stdout: "mine" });
    expect(replied(await use(ticketOf(mine), body))).toEqual(RECEIVED);
    expect((await runOf(mine)).status).toBe("completed");
    expect((await runOf(other)).status).toBe("running");
  });

  it("is discarded when the attempt has ended otherwise", async () => {
    const runId = await begun();
    await api.request("POST", `runs/${runId}/cancel`, { body: { reason: "enough" } });
    expect(replied(await use(ticketOf(runId), { costUsd: 1 }))).toEqual(DISCARDED);
  });

  it("expires with the attempt's deadline", async () => {
    const runId = await begun();
    expect(replied(await use(ticketOf(runId, { expiresAt: Date.now() - 1 })))).toEqual([410, "ticket_expired"]);
  });

  it("is not forged, altered, or that of another attempt", async () => {
    const runId = await begun();
    const good = ticketOf(runId);
    const altered = `${good.slice(0, -1)}${good.endsWith("A") ? "B" : "A"}`;
    for (const ticket of ["x", "cb_e30.x", altered, `${good}.x`, "%E0%A4%A", "cb_%00.x", "a".repeat(5_000)]) {
      expect(replied(await use(ticket))).toEqual([401, "bad_ticket"]);
    }
    expect(replied(await use(ticketOf("run_nobody")))).toEqual([404, "unknown_dispatch"]);
    expect(replied(await use(ticketOf(runId, { orgId: "other" })))).toEqual([404, "unknown_dispatch"]);
    expect(replied(await use(ticketOf(runId, { attempt: 2 })))).toEqual([404, "unknown_dispatch"]);
    expect((await runOf(runId)).status).toBe("running");
  });

  it("brings reports that are checked like any other", async () => {
    const runId = await begun();
    const ticket = ticketOf(runId);
    expect(replied(await use(ticket, { costUsd: -1 }))).toEqual([422, "usage_range"]);
    expect(replied(await use(ticket, { status: "deferred" }))).toEqual([422, "invalid_request"]);
    expect(replied(await use(ticket, { outputs: 7 }))).toEqual([422, "invalid_request"]);
    expect(replied(await use(ticket, "{"))).toEqual([400, "bad_json"]);
    expect(replied(await use(ticket, '{"outputs":{"__proto__":1}}'))).toEqual([400, "bad_json"]);
    expect(replied(await use(ticket, "x".repeat(CALLBACK_BYTES_MAX + 1)))).toEqual([413, "body_too_large"]);
    expect((await runOf(runId)).status).toBe("running");
    expect(replied(await use(ticket, {}))).toEqual(RECEIVED);
  });
});

describe("a conversation", () => {
  it("is kept with the thread it belongs to, and read by any key that may read runs", async () => {
    const runId = await begun();
    const messages = [
      { role: "user", content: "hello" },
      { role: "assistant", content: "world" },
    ];
    await send(callback(runId, { sessionId: "thread 1/2", messages }));
    await send(callback(runId, { sessionId: "thread 1/2", messages: [{ role: "user", content: "again" }] }));
    const path = `agents/default/threads/${encodeURIComponent("thread 1/2")}`;
    const { status, body } = await api.request("GET", path, { key: await api.key(["run:read"]) });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      agentId: "default",
      sessionId: "thread 1/2",
      attempts: [{ runId, nodeId: "a", attempt: 1, messages }],
    });
    expect((await api.request("GET", path, { key: STRANGER })).status).toBe(404);
    expect((await api.request("GET", path, { key: await api.key(["governance:read"]) })).status).toBe(403);
    expect(replied(await api.request("GET", "agents/default/threads/missing"))).toEqual([404, "unknown_thread"]);
    expect(replied(await api.request("GET", "agents/missing/threads/thread"))).toEqual([404, "unknown_thread"]);
  });
});

describe("nothing a peer sends", () => {
  const runs: string[] = [];
  const field = fc.constantFrom(
    ..."dispatchId runId stepId attempt status outputs stdout envelope error errorCode startedAt costUsd".split(" "),
    ..."inputTokens totalTokens sessionId messages logs artifacts executionPath model retryAfterMs deltas".split(" "),
  );
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.bigInt().map(String),
  );
  const altered = fc.array(fc.tuple(field, value), { maxLength: 4 }).map(Object.fromEntries);
  const body = fc.oneof(
    altered.map((parts: object) => JSON.stringify(callback(runs[0] ?? "", parts))),
    altered.map((parts: object) => JSON.stringify({ callbacks: [callback(runs[0] ?? "", parts), parts] })),
    altered.map((parts: object) => JSON.stringify({ dispatchId: `${runs[0]}/a/1`, deltas: [parts], ...parts })),
    fc.json(),
    fc.string({ unit: "binary" }),
  );
  const path = fc.oneof(
    fc.constantFrom(CALLBACK_PATH, CALLBACK_BATCH_PATH, STREAM_PATH),
    fc.string({ minLength: 1 }).map((token) => `/api/v1/callbacks/${encodeURIComponent(token)}`),
    fc.constant("TICKET"),
  );

  it("makes the server fail", async () => {
    runs.push(await begun());
    const before = api.troubles.length;
    const about = { orgId: ORG, runId: runs[0] ?? "", nodeId: "a", attempt: 1, expiresAt: Date.now() + 600_000 };
    const good = `/api/v1/callbacks/${api.gateways.tickets.write(about)}`;
    await fc.assert(
      fc.asyncProperty(path, body, async (where, sent) => {
        const { status } = await post(where === "TICKET" ? good : where, sent);
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
    expect(api.troubles.slice(before)).toEqual([]);
  });
});
