import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, ENDLESS, FAILING, GATED, HELLO, STRANGER } from "../../test/api/fixture.ts";
import { connectCaller, type Era, type ToolAnswer, answerOf } from "../../test/mcp/caller.ts";
import { serve, type Served } from "../server/index.ts";

const HIDDEN = "name: hidden\nsteps:\n  - { id: a, command: A }\n";
const RISKY = `name: risky
description: Pays an invoice.
args:
  amount: { type: number, required: true, minimum: 0, maximum: 10, description: "In dollars" }
  account: { type: string, pattern: "(?i)^[a-z]+$", default: main }
  wait_seconds: { type: integer, default: 3 }
steps:
  - { id: pay, command: "Pay \${amount} to \${account}", action: financial }
`;
const PATIENT = `name: patient
args: { wait_seconds: { type: integer, maximum: 10, default: 3 } }
steps:
  - { id: wait, command: "Wait \${wait_seconds}" }
`;
const LOOK = "name: look\nsteps:\n  - { id: see, command: See, action: read }\n";
const TAKEN = "name: workflow\nsteps:\n  - { id: a, command: A }\n";
const LARGE = "name: large\nsteps:\n  - { id: a, command: A, outputs: { text: string, more: string } }\n";
const SCRIPT = `default: echo
nodes:
  endless/wait: [{ hang: true }]
  failing/broken: [{ fail: provider_auth, message: "no such account" }]
  large/a: { outputs: { text: "${"x".repeat(100_000)}", more: "${"y".repeat(300_000)}" } }
`;
const FIXED = [
  "list_workflows",
  "validate_workflow",
  "run_workflow",
  "get_run",
  "list_runs",
  "watch_run",
  "cancel_run",
  "list_approvals",
  "get_approval",
  "resolve_approval",
];

let api: Api;
let served: Served;
const clients = new Map<string, Client>();

async function connect(key: string, era: Era = "auto"): Promise<Client> {
  const client = clients.get(`${era} ${key}`) ?? (await connectCaller(served.url, key, era));
  clients.set(`${era} ${key}`, client);
  return client;
}

async function call(client: Client, name: string, given: Record<string, unknown> = {}): Promise<ToolAnswer> {
  return answerOf(await client.callTool({ name, arguments: given }));
}

async function expose(source: string, more: object = {}): Promise<void> {
  const name = /^name: (\S+)/m.exec(source)?.[1] ?? "";
  const { body } = await api.request("POST", "apply", {
    body: [{ kind: "Workflow", name, spec: { source, exposed: true, ...more } }],
  });
  expect(body.applied[0].problems).toBeUndefined();
}

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

beforeAll(async () => {
  api = await createApi({}, SCRIPT);
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  for (const source of [HELLO, GATED, ENDLESS, FAILING, RISKY, PATIENT, LOOK, TAKEN, LARGE]) await expose(source);
  await api.save(HIDDEN);
});
afterAll(async () => {
  for (const client of clients.values()) await client.close();
  expect(api.troubles).toEqual([]);
  await served.close(100);
  await api.close();
});

describe.each(["auto", "legacy"] as const)("a client (%s)", (era) => {
  it("finds a tool for each active workflow that is exposed, and those that are always there", async () => {
    const client = await connect(ADMIN, era);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names.slice(0, FIXED.length)).toEqual(FIXED);
    expect(names).toContain("run_hello");
    expect(names).not.toContain("run_hidden");
    expect(names.filter((name) => name === "run_workflow")).toHaveLength(1);
    const risky = tools.find(({ name }) => name === "run_risky");
    expect(risky).toMatchObject({
      description: expect.stringContaining("Pays an invoice."),
      inputSchema: {
        type: "object",
        required: ["amount"],
        additionalProperties: false,
        properties: {
          amount: { type: "number", minimum: 0, maximum: 10, description: "In dollars" },
          account: { type: "string", default: "main", description: expect.stringContaining("(?i)^[a-z]+$") },
          wait_seconds: { type: "integer", default: 3 },
          cancel_on_abort: { type: "boolean" },
        },
      },
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    });
    const look = tools.find(({ name }) => name === "run_look");
    expect(look?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  });

  it("sees at the next list what was exposed, paused and hidden since", async () => {
    const client = await connect(ADMIN, era);
    const source = `name: late-${era}\nsteps:\n  - { id: a, command: A }\n`;
    expect(await namesOf(client)).not.toContain(`run_late-${era}`);
    await expose(source);
    expect(await namesOf(client)).toContain(`run_late-${era}`);
    await expose(source, { status: "paused" });
    expect(await namesOf(client)).not.toContain(`run_late-${era}`);
    const refused = await call(client, `run_late-${era}`);
    expect(refused).toMatchObject({ isError: true, data: { code: "workflow_paused" } });
    await expose(source, { status: "active", exposed: false });
    expect(await namesOf(client)).not.toContain(`run_late-${era}`);
  });

  it("runs a workflow to its end and hears how far it is", async () => {
    const client = await connect(ADMIN, era);
    const received: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
    const result = await client.callTool(
      { name: "run_hello", arguments: { who: "Ada" } },
      { onprogress: (progress) => received.push(progress) },
    );
    const { isError, data, text } = answerOf(result);
    expect(isError).toBe(false);
    expect(data).toMatchObject({ workflow: "hello", status: "completed", costMicros: 0, executedCount: 2 });
    expect(data.outputs).toEqual({ thank: { stdout: "Thank Ada" } });
    expect(text).toBe(`Run ${data.runId} of hello@1 is completed.`);
    expect(received.map(({ progress, total }) => [progress, total])).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
    ]);
    expect(received[1]?.message).toBe("greet: completed");
    const [, copy] = result.content;
    expect(copy?.type === "text" ? JSON.parse(copy.text) : null).toEqual(data);
    const shown = await call(client, "get_run", { run_id: data.runId });
    expect(shown.data).toEqual(data);
    expect((await api.request("GET", `runs/${data.runId}`)).body.trigger).toBe("mcp");
  });

  it("is held by a policy until another person approves", async () => {
    const requester = await api.key("operator");
    const approver = await api.key("approver");
    const condition = "run.workflow == 'hello' && node.id == 'thank'";
    const spec = { category: "guardrail", condition, action: "require_approval", reason: "ask first" };
    expect((await api.request("PUT", "policies/ask", { body: spec })).status).toBeLessThan(300);
    const client = await connect(requester, era);
    const held = await call(client, "run_workflow", { workflow: "hello", args: { who: "Ada" } });
    expect(held).toMatchObject({ isError: false, data: { status: "running", isPaused: true, outputs: {} } });
    const [waiting] = held.data.waitingFor;
    expect(waiting).toMatchObject({ nodeId: "thank", choices: expect.arrayContaining(["approve", "reject"]) });
    expect(held.text).toContain(waiting.approvalId);
    // The same from the state alone, as a caller sees it that has not watched.
    expect((await call(client, "get_run", { run_id: held.data.runId })).data.waitingFor).toEqual([waiting]);
    const given = { approval_id: waiting.approvalId, decision: "approve", digest: waiting.digest };
    expect(await call(client, "resolve_approval", given)).toMatchObject({ isError: true, data: { code: "forbidden" } });
    const other = await connect(approver, era);
    const listed = await call(other, "list_approvals");
    expect(listed.data.approvals.map((one: { approvalId: string }) => one.approvalId)).toContain(waiting.approvalId);
    const shown = await call(other, "get_approval", { approval_id: waiting.approvalId });
    expect(shown.data).toMatchObject({ subjectDigest: waiting.subjectDigest, right: { mayAnswer: true } });
    expect(shown.data.subject.request.message).not.toBe("");
    expect(shown.text).toContain("Exactly this message is sent");
    const stale = { approval_id: waiting.approvalId, decision: "approve", subject_digest: "sha256:other" };
    expect(await call(other, "resolve_approval", stale)).toMatchObject({ data: { code: "content_changed" } });
    Object.assign(given, { subject_digest: waiting.subjectDigest });
    expect(await call(other, "resolve_approval", given)).toMatchObject({
      isError: false,
      data: { status: "approved" },
    });
    expect(await call(other, "resolve_approval", given)).toMatchObject({
      isError: true,
      data: { code: "approval_closed" },
    });
    const watched = await call(client, "watch_run", { run_id: held.data.runId, after_event_id: held.data.lastEventId });
    expect(watched.data).toMatchObject({ status: "completed", outputs: { thank: { stdout: "Thank Ada" } } });
    expect(watched.data.events[0].eventId).toBe(held.data.lastEventId + 1);
    expect(watched.data.events.at(-1).type).toBe("run.completed");
    await api.request("DELETE", "policies/ask");
  });

  it("learns why a run may not be started, and what would unblock it", async () => {
    const client = await connect(ADMIN, era);
    await api.request("PUT", "/api/v1/platform", { body: { open: false, reason: "drill" } });
    const refused = await call(client, "run_hello", { who: "Ada" });
    await api.request("PUT", "/api/v1/platform", { body: { open: true } });
    expect(refused).toMatchObject({ isError: true, data: { code: "platform_closed", status: 503 } });
    expect(refused.data.unblock.length).toBeGreaterThan(0);
    expect(refused.data.explanation).toMatchObject({ gate: expect.any(String), unblock: refused.data.unblock });
    expect(refused.text).toContain("To unblock it:");
  });

  it("stops waiting on its signal, and ends the run only on request", async () => {
    const client = await connect(ADMIN, era);
    for (const isEnded of [false, true]) {
      const leave = new AbortController();
      let tellId: (id: string) => void = () => undefined;
      const began = new Promise<string>((resolve) => (tellId = resolve));
      const waiting = client.callTool(
        { name: "run_endless", arguments: { cancel_on_abort: isEnded } },
        { signal: leave.signal, onprogress: ({ message = "" }) => tellId(message.split(" ")[0] ?? "") },
      );
      const id = await began;
      leave.abort();
      await expect(waiting).rejects.toThrow();
      while (api.app.streams().open > 0) await new Promise((resolve) => setImmediate(resolve));
      if (isEnded) await api.settle(id);
      expect((await api.request("GET", `runs/${id}`)).body.status).toBe(isEnded ? "cancelled" : "running");
      if (!isEnded) {
        expect(await call(client, "cancel_run", { run_id: id, reason: "enough" })).toMatchObject({ isError: false });
      }
    }
  });
});

describe("waiting", () => {
  it("goes on for as long as was wished", async () => {
    const client = await connect(ADMIN);
    const begun = await call(client, "run_endless", { wait_seconds: 0 });
    expect(begun).toMatchObject({ isError: false, data: { status: "running", isPaused: false } });
    const { runId } = begun.data;
    // On a slow machine nothing has come in so short a time.
    const later = async () => (await call(client, "watch_run", { runId, waitSeconds: 0.05 })).data;
    const began = expect.objectContaining({ eventId: 1, type: "run.started" }) as object;
    await expect.poll(later).toMatchObject({ runId, status: "running", events: expect.arrayContaining([began]) });
    expect((await call(client, "cancel_run", { run_id: runId })).data.runId).toBe(runId);
    expect(await call(client, "cancel_run", { run_id: runId })).toMatchObject({
      isError: true,
      data: { code: "run_finished" },
    });
  });

  it.each([
    [-0.001, false],
    [0, true],
    [600.001, false],
    [600, true],
    ["10", false],
    [null, false],
  ])("for %j seconds is allowed: %j", async (wait_seconds, isAllowed) => {
    const client = await connect(ADMIN);
    for (const [name, more] of [
      ["run_look", {}],
      ["run_workflow", { workflow: "look" }],
    ] as const) {
      const { isError, data } = await call(client, name, { ...more, wait_seconds });
      expect(isError).toBe(!isAllowed);
      if (!isAllowed) expect(data.code).toBe("invalid_request");
    }
  });

  it("leaves an arg of the same name to the workflow", async () => {
    const client = await connect(ADMIN);
    const { data } = await call(client, "run_patient", { wait_seconds: 9 });
    expect(data.outputs.wait.stdout).toBe("Wait 9");
    expect(await call(client, "run_patient", { wait_seconds: 11 })).toMatchObject({
      isError: true,
      data: { code: "invalid_args", status: 422 },
    });
  });

  it("ends where a person is asked by the workflow itself", async () => {
    const client = await connect(ADMIN);
    const { data } = await call(client, "run_gated");
    expect(data).toMatchObject({ isPaused: true, waitingFor: [{ nodeId: "decide" }] });
  });
});

describe("results", () => {
  it("says which node failed, as an error to the caller that wanted the result", async () => {
    const client = await connect(ADMIN);
    const failed = await call(client, "run_failing");
    expect(failed).toMatchObject({ isError: true, data: { status: "failed", failedCount: 1 } });
    expect(failed.data.failures).toMatchObject([{ nodeId: "broken", code: expect.any(String) }]);
    expect(await call(client, "get_run", { run_id: failed.data.runId })).toMatchObject({ isError: false });
  });

  it("puts large values in their places, and leaves very large ones where they are", async () => {
    const client = await connect(ADMIN);
    const { data } = await call(client, "run_large");
    expect(data.outputs.a.text).toBe("x".repeat(100_000));
    expect(data.outputs.a.more).toMatchObject({ hash: expect.stringMatching(/^sha256:/), bytes: 300_002 });
  });

  it("starts one run per idempotency key", async () => {
    const client = await connect(ADMIN);
    const given = { who: "Ada", idempotency_key: "once" };
    const [first, second] = [await call(client, "run_hello", given), await call(client, "run_hello", given)];
    expect(second.data.runId).toBe(first.data.runId);
    expect(await call(client, "run_hello", { ...given, who: "Bea" })).toMatchObject({
      isError: true,
      data: { code: "idempotency_conflict" },
    });
    expect((await call(client, "run_hello", { who: "Ada" })).data.runId).not.toBe(first.data.runId);
  });

  it("lists workflows and runs, page by page", async () => {
    const client = await connect(ADMIN);
    const { data } = await call(client, "list_workflows", { limit: 100 });
    const names = data.workflows.map(({ name }: { name: string }) => name);
    expect(names).toContain("hello");
    expect(names).not.toContain("hidden");
    const taken = data.workflows.find(({ name }: { name: string }) => name === "workflow");
    expect(taken.tool).toBeNull();
    expect((await call(client, "run_workflow", { workflow: "workflow" })).data.status).toBe("completed");
    const first = await call(client, "list_runs", { limit: 1, workflow: "hello" });
    const second = await call(client, "list_runs", { limit: 1, workflow: "hello", cursor: first.data.nextCursor });
    expect(first.data.runs[0].runId).not.toBe(second.data.runs[0].runId);
  });

  it("checks a workflow without keeping it", async () => {
    const client = await connect(ADMIN);
    expect((await call(client, "validate_workflow", { source: HELLO })).data.ok).toBe(true);
    const { isError, data, text } = await call(client, "validate_workflow", {
      source: "name: x\nsteps: [{ id: a, comand: b }]",
    });
    expect([isError, data.ok]).toEqual([false, false]);
    expect(data.problems[0]).toMatchObject({ line: 2, hint: expect.any(String) });
    expect(text).toContain("2:");
  });

  it("reads the state of a run and the text of a workflow as resources", async () => {
    const client = await connect(ADMIN);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("sluice://workflows/hello");
    expect(resources.map(({ uri }) => uri)).not.toContain("sluice://workflows/hidden");
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
    const text = await client.readResource({ uri: "sluice://workflows/hello" });
    expect(text.contents).toMatchObject([{ text: HELLO, mimeType: "application/yaml" }]);
    const id = await api.run("hello", { who: "Ada" });
    const [state] = (await client.readResource({ uri: `sluice://runs/${id}` })).contents;
    expect(state !== undefined && "text" in state ? JSON.parse(state.text) : null).toMatchObject({ runId: id });
    const nowhere = ["sluice://workflows/hidden", "sluice://runs/none", "sluice://keys/x", "file:///etc/passwd"];
    for (const uri of [...nowhere, "sluice://runs/%zz", "sluice://runs/a/b", `sluice://workflows/${"x".repeat(300)}`]) {
      await expect(client.readResource({ uri })).rejects.toBeInstanceOf(ProtocolError);
    }
  });
});

describe("what is not there", () => {
  it("is an unknown tool", async () => {
    const client = await connect(ADMIN);
    for (const name of [
      "run_hidden",
      "run_none",
      "run_",
      "hello",
      "__proto__",
      "run_../keys",
      "run_a?b",
      "run_\u0000",
    ]) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow("There is no tool");
    }
  });

  it("cannot be run by another way", async () => {
    const client = await connect(ADMIN);
    expect(await call(client, "run_workflow", { workflow: "hidden" })).toMatchObject({
      isError: true,
      data: { code: "not_exposed", message: expect.stringContaining("exposed: true") },
    });
    expect(await call(client, "run_workflow", { workflow: "none" })).toMatchObject({
      isError: true,
      data: { code: "unknown_workflow" },
    });
  });

  it("is what another organisation has", async () => {
    const id = await api.run("hello", { who: "Ada" });
    const client = await connect(STRANGER);
    expect(await namesOf(client)).toEqual(FIXED);
    for (const tool of ["get_run", "watch_run", "cancel_run"]) {
      expect(await call(client, tool, { run_id: id })).toMatchObject({ isError: true, data: { code: "unknown_run" } });
    }
    await expect(client.readResource({ uri: `sluice://runs/${id}` })).rejects.toThrow();
    expect((await call(client, "list_runs")).data).toEqual({ runs: [] });
    await expect(client.callTool({ name: "run_hello", arguments: { who: "x" } })).rejects.toThrow("There is no tool");
  });
});

describe("what is sent", () => {
  it("is checked before anything is done", async () => {
    const client = await connect(ADMIN);
    const before = (await call(client, "list_runs", { limit: 100, workflow: "hello" })).data.runs.length;
    const hostile: Record<string, unknown>[] = [
      {},
      { who: 1 },
      { who: "x", whom: "y" },
      { who: "\u0000" },
      { who: "\ud800" },
      { who: { toString: "x" } },
      { who: "x", constructor: 1 },
      { who: "x".repeat(2_000_000) },
      { who: "x", times: 1e308 },
    ];
    for (const given of hostile) {
      const { isError, data } = await call(client, "run_hello", given);
      expect([isError, data.runId]).toEqual([true, undefined]);
      expect(data.code).toMatch(/^(?:invalid_args|body_too_large|invalid_request|bad_json|text_unstorable)$/);
    }
    const after = (await call(client, "list_runs", { limit: 100, workflow: "hello" })).data.runs.length;
    expect(after).toBe(before);
    expect(await call(client, "get_run", { run_id: "../keys" })).toMatchObject({
      isError: true,
      data: { status: 404 },
    });
    expect(await call(client, "get_run", { run: "x" })).toMatchObject({
      isError: true,
      data: { code: "invalid_request", message: expect.stringContaining("The tool takes run_id") },
    });
  });

  it("does no harm however it is nested or broken", async () => {
    const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${served.url}/mcp`, {
        method: "POST",
        body,
        headers: {
          authorization: `Bearer ${ADMIN}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
      });
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const ask = (given: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_hello","arguments":${given}}}`;
    for (const body of [ask(`{"who":${deep}}`), ask('{"__proto__":{"who":"x"}}'), "{", "", "[]", '"x"', "null"]) {
      const response = await post(body);
      expect(response.status).toBeLessThan(500);
      expect(await response.text()).not.toContain(" at ");
    }
    expect((await post("{}", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(`"${"x".repeat(8_388_608)}"`)).status).toBe(413);
    expect(api.troubles).toEqual([]);
  });
});

describe("who asks", () => {
  it("needs a key, and is answered as everywhere else without one", async () => {
    for (const key of [null, "slk_unknown_key", "garbage"]) {
      const { status, body, headers } = await api.request("POST", "/mcp", { key, body: {} });
      expect([status, body.code]).toEqual([401, "unauthenticated"]);
      expect(headers.get("www-authenticate")).toContain("Bearer");
    }
    const cookie = { cookie: `sluice_session=${ADMIN}`, origin: "http://localhost" };
    expect((await api.request("POST", "/mcp", { key: null, body: {}, headers: cookie })).status).toBe(401);
    await expect(connectCaller(served.url, "slk_unknown_key")).rejects.toThrow();
  });

  it.each([
    ["https://evil.example", "127.0.0.1:7717", 403],
    ["http://evil.example:7717", "evil.example:7717", 421],
    ["null", "127.0.0.1:7717", 403],
    ["http://%%", "%%", 421],
    ["http://127.0.0.1:7717", "127.0.0.1:7717", 200],
    ["http://localhost:7717", "localhost:7717", 200],
    ["http://[::1]:7717", "[::1]:7717", 200],
  ])("from a page of %s at %s is answered %i", async (origin, host, expected) => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const headers = { origin, host, accept: "application/json, text/event-stream" };
    const { status, body: replied } = await api.request("POST", "/mcp", { body, headers });
    expect(status).toBe(expected);
    if (expected === 403) expect(replied.code).toBe("bad_origin");
  });

  it("opens and ends no session", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const { status, headers } = await api.request(method, "/mcp");
      expect([status, headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    }
  });

  it("may do with tools what the key allows and nothing else", async () => {
    const viewer = await connect(await api.key("viewer"));
    expect(await namesOf(viewer)).toContain("run_hello");
    const refused = await call(viewer, "run_hello", { who: "x" });
    expect(refused).toMatchObject({ isError: true, data: { code: "forbidden", status: 403 } });
    const id = await api.run("hello", { who: "Ada" });
    expect(await call(viewer, "cancel_run", { run_id: id })).toMatchObject({
      isError: true,
      data: { code: "forbidden" },
    });

    const narrow = await connect(await api.key(["run:read"]));
    expect(await namesOf(narrow)).toEqual(FIXED);
    expect((await narrow.listResources()).resources).toEqual([]);
    expect((await call(narrow, "get_run", { run_id: id })).data.outputs).toEqual({ thank: { stdout: "Thank Ada" } });
    await expect(narrow.readResource({ uri: "sluice://workflows/hello" })).rejects.toThrow("forbidden");

    const blind = await connect(await api.key(["workflow:read", "workflow:execute"]));
    const begun = await call(blind, "run_hello", { who: "Ada" });
    expect(begun).toMatchObject({ isError: false, data: { outputs: {}, workflow: "hello" } });
    await api.settle(begun.data.runId);
  });

  it("cannot answer for work of its own agent", async () => {
    const key = await api.key(
      ["workflow:read", "workflow:execute", "run:read", "governance:read", "governance:approve"],
      {
        agent: "default",
      },
    );
    const policy = { category: "guardrail", condition: "node.id == 'see'", action: "require_approval" };
    await api.request("PUT", "policies/see", { body: policy });
    const client = await connect(key);
    const { data } = await call(client, "run_look");
    const given = { approval_id: data.waitingFor[0].approvalId, decision: "approve" };
    expect(await call(client, "resolve_approval", given)).toMatchObject({
      isError: true,
      data: { code: "self_approval" },
    });
    await api.request("DELETE", "policies/see");
  });
});
