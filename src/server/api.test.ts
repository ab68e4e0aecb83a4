import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ADMIN,
  type Answer,
  type Api,
  createApi,
  ENDLESS,
  FAILING,
  GATED,
  HELLO,
  ORG,
} from "../../test/api/fixture.ts";
import { digestText } from "../core/base/index.ts";
import { Overloaded } from "../driver/index.ts";
import { StoreUnavailable } from "../store/index.ts";
import { createApp } from "./app.ts";
import { ROUTES } from "./route-table.ts";
import { hashSecret } from "./secret.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
  for (const source of [HELLO, GATED, FAILING, ENDLESS]) await api.save(source);
});
afterAll(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

const replied = ({ status, body }: Answer): [number, string] => [status, body.code];

/** What a route answered must be what its schema, and so the OpenAPI document, says. */
function fits(operation: string, { status, body }: Answer): void {
  const schema = ROUTES.find((route) => route.operation === operation)?.replies[status]?.schema;
  const parsed = schema?.safeParse(body);
  expect(parsed?.error?.issues).toBeUndefined();
  expect(parsed?.data).toEqual(body);
}

describe("validate", () => {
  it("answers 200 whatever the source is", async () => {
    const good = await api.request("POST", "validate", { body: { source: HELLO } });
    expect(good).toMatchObject({
      status: 200,
      body: { ok: true, problems: [], plan: { layers: [["greet"], ["thank"]] } },
    });
    fits("validate", good);
    for (const source of ["", "name: x", "a: &b [*b]", "{", "\u{0}", "steps: 7"]) {
      const { status, body } = await api.request("POST", "validate", { body: { source: source.replace("\0", "~") } });
      expect([status, body.ok, body.plan]).toEqual([200, false, undefined]);
      expect(body.problems[0]).toMatchObject({ code: expect.any(String), line: expect.any(Number) });
    }
  });

  it("reports another format than the one asked for", async () => {
    const { body } = await api.request("POST", "validate", { body: { source: HELLO, format: "lens-graph/v1" } });
    expect(body).toMatchObject({ ok: false, problems: [{ code: "bad_enum", path: "format" }] });
    const same = await api.request("POST", "validate", { body: { source: HELLO, format: "lobsterx" } });
    expect(same.body.ok).toBe(true);
  });
});

describe("workflows", () => {
  const source = (step: string): string => `name: versions\nsteps:\n  - { id: ${step}, command: go }\n`;

  it("makes a version of each new content, and none of the same", async () => {
    const first = await api.request("PUT", "workflows/versions", { body: { source: source("a") } });
    expect(first).toMatchObject({
      status: 201,
      body: { name: "versions", version: 1, format: "lobsterx", warnings: [] },
    });
    expect(first.body.hash).toBe(digestText(source("a")));
    fits("workflows.save", first);
    expect(await api.request("PUT", "workflows/versions", { body: { source: source("a") } })).toMatchObject({
      status: 200,
      body: { version: 1 },
    });
    expect(await api.request("PUT", "workflows/versions", { body: { source: source("b") } })).toMatchObject({
      status: 201,
      body: { version: 2 },
    });
    const shown = await api.request("GET", "workflows/versions/versions/1");
    expect(shown.body).toMatchObject({ source: source("a"), version: 1, plan: { name: "versions" } });
    fits("workflows.version", shown);
    fits("workflows.get", await api.request("GET", "workflows/versions"));
    fits("workflows.list", await api.request("GET", "workflows"));
  });

  it.each(["text/yaml", "application/yaml", "application/x-yaml; charset=utf-8"])(
    "takes the bytes themselves as %s",
    async (type) => {
      const text = `\uFEFFname: raw\n# ü\nsteps:\n  - { id: a, command: "${type.length}" }\n`;
      const answer = await api.request("PUT", "workflows/raw", {
        body: new TextEncoder().encode(text),
        headers: { "content-type": type },
      });
      expect([answer.status, answer.body.hash]).toEqual([201, digestText(text)]);
      expect((await api.request("GET", `workflows/raw/versions/${answer.body.version}`)).body.source).toBe(text);
    },
  );

  it("refuses what could not run, with every reason", async () => {
    const broken = await api.request("PUT", "workflows/x", {
      body: { source: "name: x\nsteps:\n  - { id: A, command: }\n" },
    });
    expect(replied(broken)).toEqual([422, "invalid_definition"]);
    expect(broken.body.problems.length).toBeGreaterThan(1);
    const renamed = await api.request("PUT", "workflows/other", { body: { source: HELLO } });
    expect(renamed).toMatchObject({ status: 422, body: { problems: [{ code: "bad_name", path: "name" }] } });
    const stranger = "name: parent\nsteps:\n  - { id: a, library_step: nowhere }\n";
    const refused = await api.request("PUT", "workflows/parent", { body: { source: stranger } });
    expect(refused).toMatchObject({
      status: 422,
      body: { code: "invalid_definition", problems: [{ code: "unknown_library_step", line: 3 }] },
    });
    const child = "name: parent\nsteps:\n  - { id: a, workflow_ref: nowhere }\n";
    const warned = await api.request("PUT", "workflows/parent", { body: { source: child } });
    expect(warned).toMatchObject({ status: 201, body: { warnings: [{ code: "unknown_workflow", line: 3 }] } });
    const binary = { body: new Uint8Array([0xff, 0xfe, 0x00]), headers: { "content-type": "text/yaml" } };
    expect(replied(await api.request("PUT", "workflows/x", binary))).toEqual([422, "invalid_definition"]);
  });

  it("takes no runs of a workflow that is not active", async () => {
    for (const status of ["paused", "deprecated"]) {
      const patched = await api.request("PATCH", "workflows/versions", { body: { status } });
      expect(patched.body.status).toBe(status);
      fits("workflows.update", patched);
      expect(replied(await api.request("POST", "runs", { body: { workflow: "versions" } }))).toEqual([
        409,
        "workflow_paused",
      ]);
    }
    await api.request("PATCH", "workflows/versions", { body: { status: "active" } });
    expect((await api.request("POST", "runs", { body: { workflow: "versions" } })).status).toBe(201);
    expect(replied(await api.request("PATCH", "workflows/missing", { body: { status: "paused" } }))).toEqual([
      404,
      "unknown_workflow",
    ]);
    expect(replied(await api.request("PATCH", "workflows/versions", { body: { status: "off" } }))).toEqual([
      422,
      "invalid_request",
    ]);
  });

  it("pages without loss or repeat", async () => {
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await api.request("GET", `workflows?limit=2${cursor}`);
      seen.push(...body.data.map((workflow: { name: string }) => workflow.name));
      cursor = body.nextCursor === undefined ? "" : `&cursor=${body.nextCursor}`;
    } while (cursor !== "");
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(["endless", "failing", "gated", "hello", "raw", "versions"]));
  });
});

describe("runs", () => {
  it("starts one, and shows it as it was and as it is", async () => {
    const started = await api.request("POST", "runs", {
      body: { workflow: "hello", args: { who: "Ada" }, model: "m" },
    });
    expect(started.status).toBe(201);
    fits("runs.create", started);
    const { id } = started.body;
    expect(started.headers.get("location")).toBe(`/api/v1/runs/${id}`);
    expect(started.body).toMatchObject({
      workflow: "hello",
      version: 1,
      args: { who: "Ada", times: 1 },
      model: "m",
      epoch: 0,
      recursionDepth: 0,
    });
    expect(started.body.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(started.body.rootSpanId).toMatch(/^[0-9a-f]{16}$/);
    await api.settle(id);
    const shown = await api.request("GET", `runs/${id}`);
    expect(shown.body).toMatchObject({ status: "completed", completedAt: expect.any(String) });
    const state = await api.request("GET", `runs/${id}/state`);
    fits("runs.state", state);
    const events = await api.request("GET", `runs/${id}/events?limit=1000`);
    fits("runs.events", events);
    expect(events.body.data.map((event: { eventId: number }) => event.eventId)).toEqual(
      Array.from({ length: state.body.lastEventId }, (_, index) => index + 1),
    );
    const node = await api.request("GET", `runs/${id}/nodes/greet`);
    fits("runs.node", node);
    expect(node.body.attempts).toMatchObject([
      { attempt: 1, status: "completed", output: "Say hello to Ada", route: { provider: "scripted" } },
    ]);
    expect(node.body.request).toEqual({ attempt: 1, message: "Say hello to Ada", stdin: null, inputs: {} });
    fits("runs.list", await api.request("GET", "runs?workflow=hello&status=completed"));
    expect((await api.request("GET", "runs?workflow=missing")).body).toEqual({ data: [] });
  });

  it("travels in time", async () => {
    const id = await api.run("hello", { who: "Ada" });
    const checkpoints = await api.request("GET", `runs/${id}/checkpoints?limit=1`);
    fits("runs.checkpoints", checkpoints);
    const [first] = checkpoints.body.data;
    expect(first).toMatchObject({ type: "node.completed", nodeId: "greet", attempt: 1 });
    const then = await api.request("GET", `runs/${id}/at/${first.eventId}`);
    fits("runs.at", then);
    expect(then.body).toMatchObject({ lastEventId: first.eventId, executedCount: 1, status: "running" });
    const shown = await api.request("GET", `runs/${id}/checkpoints/${first.eventId}`);
    fits("runs.checkpoint", shown);
    expect(shown.body).toEqual({ ...first, state: then.body });
    const rest = await api.request("GET", `runs/${id}/checkpoints?cursor=${checkpoints.body.nextCursor}`);
    expect(rest.body).toMatchObject({ data: [{ nodeId: "thank" }] });
    expect(rest.body.nextCursor).toBeUndefined();
  });

  it("pages the log by event id", async () => {
    const id = await api.run("hello", { who: "Ada" });
    const page = await api.request("GET", `runs/${id}/events?afterEventId=2&limit=3`);
    expect(page.body.data.map((event: { eventId: number }) => event.eventId)).toEqual([3, 4, 5]);
    expect(
      (await api.request("GET", `runs/${id}/events?cursor=${page.body.nextCursor}&limit=1`)).body.data[0].eventId,
    ).toBe(6);
    expect((await api.request("GET", `runs/${id}/events?afterEventId=999`)).body).toEqual({ data: [] });
  });

  it("passes on that it is overloaded, or that the database is away", async () => {
    const failing = (error: Error): Api["app"] => {
      const runtime = Object.create(api.runtime, { launch: { value: () => Promise.reject(error) } });
      runtime.planOf = api.runtime.planOf.bind(api.runtime);
      runtime.onCommitted = () => () => undefined;
      return createApp({ store: api.store, runtime, gateways: api.gateways, governance: api.governance });
    };
    const headers = { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" };
    const body = JSON.stringify({ workflow: "gated" });
    const busy = await failing(new Overloaded(1_500)).request("/api/v1/runs", { method: "POST", headers, body });
    expect([busy.status, busy.headers.get("retry-after")]).toEqual([503, "2"]);
    const away = await failing(new StoreUnavailable("connect ECONNREFUSED")).request("/api/v1/runs", {
      method: "POST",
      headers,
      body,
    });
    expect([away.status, away.headers.get("retry-after")]).toEqual([503, "2"]);
    const bug = await failing(new Error("secret detail")).request("/api/v1/runs", { method: "POST", headers, body });
    expect(bug.status).toBe(500);
    expect(await bug.text()).not.toContain("secret");
  });
});

describe("idempotency", () => {
  const start = (key: string, args: object, as?: string): Promise<Answer> =>
    api.request("POST", "runs", {
      body: { workflow: "hello", args },
      headers: { "idempotency-key": key },
      ...(as === undefined ? {} : { key: as }),
    });

  it("starts once, however often and however it is spelt", async () => {
    const first = await start("one", { who: "Ada", times: 2 });
    const again = await start("one", { times: 2, who: "Ada" });
    expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([201, 200, "true"]);
    expect(again.body.id).toBe(first.body.id);
    expect((await start('"one"', { who: "Ada", times: 2 })).body.id).toBe(first.body.id);
  });

  it("starts once when asked ten times at once", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => start("at-once", { who: "Ada" })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.map(({ status }) => status).sort((left, right) => left - right)).toEqual([
      ...Array(9).fill(200),
      201,
    ]);
  });

  it("refuses another body before it looks at the args", async () => {
    await start("two", { who: "Ada" });
    expect(replied(await start("two", { missing: 1 }))).toEqual([409, "idempotency_conflict"]);
  });

  it("forgets refusals, and distinguishes callers", async () => {
    expect(replied(await start("three", {}))).toEqual([422, "invalid_args"]);
    const mine = await start("three", { who: "Ada" });
    const other = await start("three", { who: "Ada" }, await api.key("operator"));
    expect([mine.status, other.status]).toEqual([201, 201]);
    expect(other.body.id).not.toBe(mine.body.id);
  });

  it("holds keys to 255 printable characters", async () => {
    for (const [key, status] of [
      ["x".repeat(254), 201],
      ["x".repeat(255), 201],
      ["x".repeat(256), 400],
      ["", 400],
      ["\u00e9", 400],
    ] as const) {
      expect([key.length, (await start(key, { who: "Ada" })).status]).toEqual([key.length, status]);
    }
  });
});

describe("actions", () => {
  it("cancels what runs, and only that", async () => {
    const { body } = await api.request("POST", "runs", { body: { workflow: "endless" } });
    const cancelled = await api.request("POST", `runs/${body.id}/cancel`, { body: { reason: "enough" } });
    fits("runs.cancel", cancelled);
    expect(cancelled.body.status).toBe("cancelled");
    expect(replied(await api.request("POST", `runs/${body.id}/cancel`))).toEqual([409, "run_finished"]);
    expect(replied(await api.request("POST", "runs/run_none/cancel"))).toEqual([404, "unknown_run"]);
  });

  it("restarts what has ended", async () => {
    const id = await api.run("failing");
    const again = await api.request("POST", `runs/${id}/restart`, { headers: { "idempotency-key": "r" } });
    expect(again).toMatchObject({ status: 201, body: { sourceRunId: id, trigger: "restart" } });
    fits("runs.restart", again);
    const repeated = await api.request("POST", `runs/${id}/restart`, { headers: { "idempotency-key": "r" } });
    expect([repeated.status, repeated.body.id]).toEqual([200, again.body.id]);
    for (const { body } of [again, repeated])
      expect(body).toMatchObject({ carriedOver: ["first"], runsAgain: ["broken"] });
    expect(
      replied(
        await api.request("POST", `runs/${id}/restart`, {
          body: { fromNode: "first" },
          headers: { "idempotency-key": "r" },
        }),
      ),
    ).toEqual([409, "idempotency_conflict"]);
    expect((await api.request("POST", `runs/${id}/restart`, { body: { fromNode: "first" } })).status).toBe(201);
    expect(replied(await api.request("POST", `runs/${id}/restart`, { body: { fromNode: "missing" } }))).toEqual([
      422,
      "unknown_node",
    ]);
    const open = await api.run("gated");
    expect(replied(await api.request("POST", `runs/${open}/restart`))).toEqual([409, "run_not_finished"]);
  });

  it("recovers a failed run in place", async () => {
    const id = await api.run("failing");
    const recovered = await api.request("POST", `runs/${id}/recover`);
    fits("runs.recover", recovered);
    expect(recovered.body.epoch).toBe(1);
    expect(await api.settle(id)).toBe("completed");
    expect(replied(await api.request("POST", `runs/${id}/recover`))).toEqual([409, "not_recoverable"]);
  });

  it("rewinds and branches", async () => {
    const id = await api.run("hello", { who: "Ada" });
    const { data } = (await api.request("GET", `runs/${id}/checkpoints`)).body;
    const branched = await api.request("POST", `runs/${id}/branch`, {
      body: { eventId: data[0].eventId, args: { who: "Bea" } },
    });
    expect(branched).toMatchObject({ status: 201, body: { sourceRunId: id, args: { who: "Bea", times: 1 } } });
    fits("runs.branch", branched);
    await api.settle(branched.body.id);
    const { nodeResults } = (await api.request("GET", `runs/${branched.body.id}/state`)).body;
    expect(branched.body).toMatchObject({ carriedOver: [], runsAgain: ["greet", "thank"] });
    expect(nodeResults).toMatchObject([{ output: "Say hello to Bea" }, { output: "Thank Bea" }]);
    const same = await api.request("POST", `runs/${id}/branch`, {
      body: { eventId: data[0].eventId, args: { times: 3 } },
    });
    expect(same.body).toMatchObject({ carriedOver: ["greet"], runsAgain: ["thank"] });
    for (const [args, kept] of [
      [{ who: "Bea" }, { carriedOver: [], runsAgain: ["greet", "thank"] }],
      [{ times: 3 }, { carriedOver: ["greet"], runsAgain: ["thank"] }],
    ]) {
      const body = { eventId: data[0].eventId, args };
      const preview = await api.request("POST", `runs/${id}/branch/preview`, { body });
      expect(preview).toMatchObject({ status: 200, body: kept });
      fits("runs.previewBranch", preview);
    }
    expect(replied(await api.request("POST", `runs/${id}/branch/preview`, { body: { eventId: 9_999 } }))).toEqual([
      409,
      "cursor_ahead",
    ]);
    const wrong = { eventId: data[0].eventId, args: { times: "often" } };
    expect((await api.request("POST", `runs/${id}/branch/preview`, { body: wrong })).status).toBe(422);
    const rewound = await api.request("POST", `runs/${id}/rewind`, { body: { eventId: data[0].eventId } });
    expect(rewound.body).toMatchObject({ id, epoch: 1 });
    expect(await api.settle(id)).toBe("completed");
    for (const action of ["rewind", "branch"]) {
      expect(replied(await api.request("POST", `runs/${id}/${action}`, { body: { eventId: 9_999 } }))).toEqual([
        409,
        "cursor_ahead",
      ]);
      expect(replied(await api.request("POST", `runs/${id}/${action}`, { body: { eventId: 0 } }))).toEqual([
        422,
        "invalid_request",
      ]);
    }
    expect(
      replied(await api.request("POST", `runs/${id}/branch`, { body: { eventId: 2, args: { whom: 1 } } })),
    ).toEqual([422, "invalid_args"]);
  });

  it("resolves only what is blocked", async () => {
    const id = await api.run("gated");
    const resolve = (node: string, body: object): Promise<Answer> =>
      api.request("POST", `runs/${id}/nodes/${node}/resolve`, { body });
    expect(replied(await resolve("draft", { values: { a: 1 } }))).toEqual([409, "not_blocked"]);
    expect(replied(await resolve("missing", { values: { a: 1 } }))).toEqual([404, "unknown_node"]);
  });
});

describe("approvals", () => {
  const pending = async (): Promise<{ runId: string; id: string; digest: string }> => {
    const runId = await api.run("gated");
    const { body } = await api.request("GET", "approvals?status=pending&limit=100");
    return body.data.find((approval: { runId: string }) => approval.runId === runId);
  };
  const answer = (id: string, body: object, key = ADMIN): Promise<Answer> =>
    api.request("POST", `approvals/${id}/resolve`, { body, key });

  it("resumes the right run", async () => {
    const { id, runId, digest } = await pending();
    fits("approvals.get", await api.request("GET", `approvals/${id}`));
    const resolved = await answer(id, { decision: "approve", digest, reason: "fine" });
    fits("approvals.resolve", resolved);
    expect(resolved.body).toMatchObject({
      status: "approved",
      decision: "approve",
      resolvedBy: "admin",
      reason: "fine",
    });
    expect(await api.settle(runId)).toBe("completed");
    expect(replied(await answer(id, { decision: "approve" }))).toEqual([409, "approval_closed"]);
  });

  it("refuses an answer that does not fit", async () => {
    const { id, runId } = await pending();
    expect(replied(await answer(id, { decision: "approve", digest: "sha256:other" }))).toEqual([
      409,
      "content_changed",
    ]);
    expect(replied(await answer(id, { decision: "reject" }))).toEqual([422, "reason_required"]);
    expect(replied(await answer(id, { decision: "retry" }))).toEqual([422, "bad_choice"]);
    expect(replied(await answer(id, { decision: "maybe" }))).toEqual([422, "invalid_request"]);
    expect(replied(await answer("apr_none", { decision: "approve" }))).toEqual([404, "unknown_approval"]);
    await api.request("POST", `runs/${runId}/cancel`);
    expect(replied(await answer(id, { decision: "approve" }))).toEqual([409, "approval_closed"]);
  });

  it("lets no caller approve its own start where a second pair of eyes is asked for", async () => {
    await api.save("name: four-eyes\nsteps:\n  - { id: decide, approval: required, separate_approver: true }\n");
    const runId = await api.run("four-eyes");
    const { body } = await api.request("GET", "approvals?status=pending&limit=100");
    const { id } = body.data.find((approval: { runId: string }) => approval.runId === runId);
    expect(replied(await answer(id, { decision: "approve" }))).toEqual([403, "self_approval"]);
    expect((await answer(id, { decision: "approve" }, await api.key("approver"))).status).toBe(200);
  });
});

describe("keys", () => {
  it("mints, lists and revokes", async () => {
    const minted = await api.request("POST", "keys", {
      body: { label: "ci", role: "operator", expiresAt: "2999-01-01T00:00:00Z" },
    });
    fits("keys.create", minted);
    const { id, key } = minted.body;
    expect(key).toMatch(/^slk_[\w-]{43}$/);
    expect((await api.request("GET", "runs", { key })).status).toBe(200);
    const listed = await api.request("GET", "keys?limit=100");
    fits("keys.list", listed);
    expect(JSON.stringify(listed.body)).not.toContain(key);
    expect(JSON.stringify(listed.body)).not.toContain(hashSecret(key));
    expect((await api.request("DELETE", `keys/${id}`)).status).toBe(204);
    expect((await api.request("GET", "runs", { key })).status).toBe(401);
  });

  it("hands on no more than it has", async () => {
    const key = await api.key(["keys:manage", "run:read"]);
    const mint = (body: object): Promise<Answer> => api.request("POST", "keys", { key, body: { label: "x", ...body } });
    expect((await mint({ permissions: ["run:read"] })).status).toBe(201);
    expect(replied(await mint({ permissions: ["run:cancel"] }))).toEqual([403, "forbidden"]);
    expect(replied(await mint({ role: "viewer" }))).toEqual([403, "forbidden"]);
    expect(replied(await mint({}))).toEqual([422, "invalid_request"]);
    expect(replied(await mint({ role: "viewer", permissions: ["run:read"] }))).toEqual([422, "invalid_request"]);
    expect(replied(await mint({ permissions: ["run:read"], expiresAt: "2000-01-01T00:00:00Z" }))).toEqual([
      422,
      "invalid_request",
    ]);
    expect(replied(await mint({ permissions: ["run:*"] }))).toEqual([422, "invalid_request"]);
  });

  it("keeps an agent's key an agent's, and a short life short", async () => {
    const agent = await api.key(["keys:manage"], { agent: "writer" });
    const body = { label: "x", permissions: ["keys:manage"] };
    expect((await api.request("POST", "keys", { key: agent, body })).body.agent).toBe("writer");
    expect(replied(await api.request("POST", "keys", { key: agent, body: { ...body, agent: "other" } }))).toEqual([
      403,
      "forbidden",
    ]);
    const short = await api.request("POST", "keys", { body: { ...body, expiresAt: "2999-01-01T00:00:00.000Z" } });
    const longer = await api.request("POST", "keys", {
      key: short.body.key,
      body: { ...body, expiresAt: "3999-01-01T00:00:00Z" },
    });
    expect(longer.body.expiresAt).toBe("2999-01-01T00:00:00.000Z");
  });

  it("ends with the moment a key expires, and within two seconds of a revocation elsewhere", async () => {
    let now = 1_000_000;
    const timed = createApp({
      store: api.store,
      runtime: api.runtime,
      gateways: api.gateways,
      governance: api.governance,
      config: { now: () => now },
    });
    const { body } = await api.request("POST", "keys", { body: { label: "x", permissions: ["run:read"] } });
    const stored = await api.store.findKey(hashSecret(body.key));
    if (stored === undefined) throw new Error("the key was not stored");
    const ask = async (): Promise<number> =>
      (await timed.request("/api/v1/runs", { headers: { authorization: `Bearer ${body.key}` } })).status;
    await api.store.putKey({ ...stored, expiresAt: now + 1 });
    expect(await ask()).toBe(200);
    now += 1;
    expect(await ask()).toBe(401);
    await api.store.putKey({ ...stored, expiresAt: null });
    now += 2_000;
    expect(await ask()).toBe(200);
    await api.store.revokeKey(ORG, stored.id, now);
    now += 2_000;
    expect(await ask()).toBe(401);
    timed.close();
  });
});

describe("large values", () => {
  it("come by reference, in state and log alike", async () => {
    const big = "x".repeat(70_000);
    const large = await createApi({}, `nodes:\n  big: [{ stdout: "${big}" }]\n`);
    await large.save("name: large\nsteps:\n  - { id: big, command: go }\n");
    const id = await large.run("large");
    const { nodeResults } = (await large.request("GET", `runs/${id}/state`)).body;
    expect(nodeResults[0]).toMatchObject({ output: null, refs: [{ path: ["output"] }] });
    const { hash } = nodeResults[0].refs[0];
    expect((await large.request("GET", `blobs/${hash}`)).body).toBe(big);
    expect((await large.request("GET", `blobs/${hash.replace("sha256:", "")}`)).status).toBe(200);
    const { data } = (await large.request("GET", `runs/${id}/events`)).body;
    const completed = data.find((event: { type: string }) => event.type === "node.completed");
    expect(completed.refs.map((ref: { hash: string }) => ref.hash)).toContain(hash);
    const stream = (await large.request("GET", `runs/${id}/events/stream`)).body;
    expect(stream.length).toBeLessThan(70_000);
    expect(large.troubles).toEqual([]);
    await large.close();
  });
});
