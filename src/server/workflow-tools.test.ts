import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, ORG } from "../../test/api/fixture.ts";
import { EDGE_TOKEN, openEdge } from "../../test/api/edge.ts";
import { type FakeBridge, until } from "../../test/gateway/fake-bridge.ts";

const REFUND = `name: refund
args: { amount: { type: integer, required: true } }
steps:
  - { id: pay, command: "Pay \${amount}" }
outputs: { paid: "\${pay.stdout}" }
`;
const desk = (name: string, more = "") => `name: ${name}
steps:
  - id: help
    command: Help the customer
    tools: [{ name: workflow:refund, action: execute }]
${more}`;
const NESTED = `name: nested
steps:
  - { id: help, command: Help, tools: [{ name: workflow:nested, action: execute }] }
`;

const call = (amount: number) => ({ tool: "workflow:refund", args: { amount }, result: "never used" });
const SCRIPT = {
  default: "echo",
  nodes: {
    "desk/help": { rounds: [{ text: "Both.", calls: [call(5), call(7)] }, { text: "Refunded." }] },
    "wrong/help": { rounds: [{ calls: [{ ...call(5), args: { amount: 5.5 } }] }, { text: "It failed." }] },
    "asked/help": { rounds: [{ calls: [call(900)] }, { text: "Refunded after all." }] },
    "stopped/help": { rounds: [{ calls: [call(1_000_000)] }, { text: "Never." }] },
    "nested/help": { rounds: [{ calls: [{ tool: "workflow:nested", args: {} }] }, { text: "Deep." }] },
    "refund/pay": { stdout: "done" },
  },
};

describe("a tool that is a workflow", () => {
  let api: Api;
  beforeAll(async () => {
    api = await createApi({}, JSON.stringify(SCRIPT));
    await api.save(REFUND);
    for (const name of ["desk", "wrong", "asked", "stopped"]) await api.save(desk(name));
    await api.save(NESTED);
    const policy = {
      category: "tool",
      condition: "tool.name == 'workflow:refund' && tool.args.amount == 900",
      action: "require_approval",
    };
    expect((await api.request("PUT", "policies/much", { body: policy })).status).toBe(201);
    const hold = { category: "guardrail", condition: "run.args.amount == 1000000", action: "require_approval" };
    expect((await api.request("PUT", "policies/hold", { body: hold })).status).toBe(201);
  });
  afterAll(async () => {
    await api.close();
    expect(api.troubles).toEqual([]);
  });

  const started = async (workflow: string): Promise<string> => {
    const { status, body } = await api.request("POST", "runs", { body: { workflow } });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.id;
  };
  const statusOf = async (runId: string) =>
    ((await api.request("GET", `runs/${runId}`)).body as { status: string }).status;
  const ends = (runId: string, status: string) => expect.poll(() => statusOf(runId)).toBe(status);
  const eventsOf = (runId: string) => api.store.readEvents(ORG, runId, 0, 1_000);
  const resultsOf = async (runId: string) =>
    (await eventsOf(runId)).flatMap((event) => (event.type === "tool.completed" ? [event.payload.result] : []));
  const childrenOf = async (runId: string) =>
    (await eventsOf(runId)).flatMap((event) => (event.type === "child.started" ? [event.payload] : []));

  it("is a child run for each call, whose outputs the model gets", async () => {
    const runId = await started("desk");
    await ends(runId, "completed");
    expect(await resultsOf(runId)).toEqual([{ paid: "done" }, { paid: "done" }]);
    const children = await childrenOf(runId);
    expect(children.map(({ callId }) => callId)).toEqual([`${runId}/help/0/0/0`, `${runId}/help/0/0/1`]);
    for (const { childRunId } of children) {
      expect((await api.request("GET", `runs/${childRunId}`)).body).toMatchObject({
        workflow: "refund",
        status: "completed",
        parentRunId: runId,
      });
    }
    const args = await Promise.all(
      children.map(async ({ childRunId }) => (await eventsOf(childRunId))[0]?.payload as { args: unknown }),
    );
    expect(args.map((payload) => payload.args)).toEqual([{ amount: 5 }, { amount: 7 }]);
  });

  it("tells the model why no run could be started", async () => {
    const runId = await started("wrong");
    await ends(runId, "completed");
    expect(await resultsOf(runId)).toEqual([expect.stringMatching(/^child_failed: .*amount/)]);
  });

  it("is started when a person has approved the call, and not before", async () => {
    const runId = await started("asked");
    const pending = async (): Promise<string[]> =>
      ((await api.request("GET", "approvals?status=pending")).body as { data: { id: string; runId: string }[] }).data
        .filter((one) => one.runId === runId)
        .map(({ id }) => id);
    await expect.poll(pending).toHaveLength(1);
    expect(await childrenOf(runId)).toEqual([]);
    const [approval] = await pending();
    const changed = { decision: "approve", modifications: { args: { amount: 450 } } };
    expect((await api.request("POST", `approvals/${approval}/resolve`, { body: changed })).status).toBe(200);
    await ends(runId, "completed");
    expect(await resultsOf(runId)).toEqual([{ paid: "done" }]);
    const [child] = await childrenOf(runId);
    const [begun] = await eventsOf(child?.childRunId ?? "");
    expect(begun?.payload).toMatchObject({ args: { amount: 450 } });
  });

  it("is cancelled with the run that called it, which waits for it as for any child", async () => {
    const runId = await started("stopped");
    await expect.poll(async () => (await childrenOf(runId)).length).toBe(1);
    const [child] = await childrenOf(runId);
    const childRunId = child?.childRunId ?? "";
    await expect.poll(() => statusOf(childRunId)).toBe("running");
    const node = async () =>
      (await eventsOf(runId)).flatMap((event) => (event.type === "node.blocked" ? [event.payload.waitingReason] : []));
    await expect.poll(node).toEqual(["child"]);
    await api.request("POST", `runs/${runId}/cancel`, { body: { reason: "enough" } });
    await ends(runId, "cancelled");
    expect(await statusOf(childRunId)).toBe("cancelled");
  });

  it("is counted as a level, so that no workflow calls itself for ever", async () => {
    const runId = await started("nested");
    await ends(runId, "completed");
    const depths: string[] = [];
    for (let at = runId; ;) {
      const [child] = await childrenOf(at);
      if (child === undefined) {
        expect(await resultsOf(at)).toEqual([expect.stringMatching(/^recursion_limit: /)]);
        break;
      }
      depths.push((at = child.childRunId));
    }
    expect(depths.length).toBeGreaterThan(1);
  });
});

const RATES = `name: rates
steps:
  - id: help
    command: How much is it?
    tools:
      - name: convert
        description: Dollars to euros.
        script: "return { euros: inputs.dollars * 2 };"
        parameters: { type: object, properties: { dollars: { type: number } }, required: [dollars] }
      - { name: broken, script: { code: "throw new Error('no');" } }
      - { name: workflow:refund, action: execute }
`;

describe("a tool that is a script", () => {
  const calls = [{ tool: "convert", args: { dollars: 21 } }, { tool: "broken" }];
  const rounds = [{ text: "Let me see.", calls }, { text: "It is 42." }];
  let api: Api;
  beforeAll(async () => {
    api = await createApi({}, JSON.stringify({ nodes: { help: { rounds } } }));
    await api.save(REFUND);
    await api.save(RATES);
  });
  afterAll(() => api.close());

  it("is run when its call is allowed, and what it returns or throws is the result", async () => {
    const runId = await api.run("rates");
    expect(await api.settle(runId)).toBe("completed");
    const events = await api.store.readEvents(ORG, runId, 0, 1_000);
    expect(events.flatMap((event) => (event.type === "tool.completed" ? [event.payload] : []))).toMatchObject([
      { result: { euros: 42 }, isError: false },
      { result: expect.stringMatching(/^script_error: .*no/) as string, isError: true },
    ]);
    const actions = events.flatMap((event) => (event.type === "tool.requested" ? [event.payload.action] : []));
    expect(actions).toEqual(["read", "read"]);
    expect(events.filter(({ type }) => type === "node.started")).toHaveLength(1);
  });

  it("may be a workflow that is saved later, of which there is a warning", async () => {
    const source = "name: early\nsteps:\n  - { id: a, command: go, tools: [workflow:nothing] }\n";
    const { status, body } = await api.request("PUT", "workflows/early", { body: { source } });
    expect(status).toBe(201);
    expect((body.warnings as { code: string }[]).map(({ code }) => code)).toContain("unknown_workflow");
  });

  it.each([
    ["workflow:No such", "bad_name"],
    ["{ name: a/b, script: return 1 }", "bad_name"],
    ["{ name: a, script: ' ' }", "bad_script"],
    ["{ name: a, script: return 1, parameters: { type: array } }", "wrong_type"],
    ["{ name: a, action: read, parameters: { type: object } }", "conflicting_fields"],
    ["{ name: a }", "missing_field"],
    ["workflow:refund, workflow:refund", "duplicate_id"],
  ])("written as %s is a problem: %s", async (tool, code) => {
    const source = `name: bad\nsteps:\n  - { id: a, command: go, tools: [${tool}] }\n`;
    const { status, body } = await api.request("PUT", "workflows/bad", { body: { source } });
    expect(status).toBe(422);
    expect((body.problems as { code: string }[]).map((problem) => problem.code)).toContain(code);
  });
});

describe("tools of a step, at a Bridge", () => {
  let api: Api;
  let bridge: FakeBridge;
  beforeAll(async () => {
    ({ api, bridge } = await openEdge());
    await api.save(REFUND);
    await api.save(RATES);
  });
  afterAll(async () => {
    await api.close();
    await bridge.close();
  });

  const sent = (dispatchId: string) =>
    bridge.asked.flatMap(({ dispatches }) => dispatches).find((one) => one.dispatchId === dispatchId);
  const arrived = async (dispatchId: string) => {
    await until(() => sent(dispatchId) !== undefined);
    return sent(dispatchId);
  };
  const post = (path: string, body: object) =>
    api.request("POST", `/api/workflow/${path}`, { key: null, body, headers: { "x-gateway-token": EDGE_TOKEN } });
  const ended = (dispatchId: string, more: object) => {
    const [runId, stepId] = dispatchId.split("/");
    const times = { startedAt: "2026-01-01T00:00:00Z", completedAt: "2026-01-01T00:00:01Z" };
    return post("step-complete", { dispatchId, runId, stepId, attempt: 1, ...times, ...more });
  };

  it("are described, run by the server, and their results come with the next dispatch", async () => {
    const { body } = await api.request("POST", "runs", { body: { workflow: "rates" } });
    const runId = String(body.id);
    const first = await arrived(`${runId}/help/1`);
    expect(first?.stepTools).toMatchObject([
      { name: "convert", description: "Dollars to euros.", parameters: { required: ["dollars"] } },
      { name: "broken", parameters: { type: "object" } },
      { name: "workflow:refund", parameters: { properties: { amount: { type: "integer" } }, required: ["amount"] } },
    ]);
    const calls = [
      { tool: "convert", args: { dollars: 2 } },
      { tool: "workflow:refund", args: { amount: 5 } },
    ];
    const round = { dispatchId: `${runId}/help/1`, round: 0, finish: "tool_calls", message: {}, calls };
    for (let time = 0; time < 2; time += 1) {
      const reply = await post("round-complete", round);
      expect([reply.status, reply.body]).toMatchObject([
        200,
        { rulings: [{ disposition: "allow", result: { result: { euros: 4 } } }, { disposition: "suspend" }] },
      ]);
    }
    expect((await ended(`${runId}/help/1`, { status: "suspended" })).status).toBe(200);
    const events = await api.store.readEvents(ORG, runId, 0, 1_000);
    const [child] = events.flatMap((event) => (event.type === "child.started" ? [event.payload.childRunId] : []));
    await arrived(`${child}/pay/1`);
    await ended(`${child}/pay/1`, { status: "completed", stdout: "done" });
    const again = await arrived(`${runId}/help/1#1`);
    expect(Object.values(again?.resume?.results ?? {})).toEqual([
      { result: { euros: 4 }, isError: false },
      { result: { paid: "done" }, isError: false },
    ]);
    await ended(`${runId}/help/1#1`, { status: "completed", stdout: "Both." });
    expect(await api.settle(runId)).toBe("completed");
  });
});
