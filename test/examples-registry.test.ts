import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TurnView } from "../src/client/index.ts";
import { createSystemClock } from "../src/clock/index.ts";
import { channelTargets } from "../src/outside/channel/index.ts";
import { openDeliveries } from "../src/outside/delivery/index.ts";
import { nextSlots } from "../src/outside/schedule/index.ts";
import { memberRecipients } from "../src/server/index.ts";
import { type Api, createApi } from "./api/fixture.ts";
import { REPOSITORY } from "./law/source.ts";
import { secretsOver } from "./secrets/secrets-over.ts";

const read = (file: string): string => readFileSync(join(REPOSITORY, "examples", file), "utf8");
const YAML = { "content-type": "application/yaml" };

/** The examples that need a server, on one that knows what they register. */
describe("the example of a team", () => {
  let api: Api;
  beforeEach(async () => {
    api = await createApi({}, read("10-team.script.yaml"));
    const applied = await api.request("POST", "apply", { body: read("10-registry/team.yaml"), headers: YAML });
    expect(applied.status, JSON.stringify(applied.body)).toBe(200);
    await api.save(read("10-team.lobsterX").replaceAll(/^#.*\n/gm, ""));
  });
  afterEach(() => api.close());

  it("goes to the next writer when the first cannot, and to a person when no agent may", async () => {
    const { status, body: run } = await api.request("POST", "runs", {
      body: { workflow: "desk-digest", team: "desk" },
    });
    expect(status, JSON.stringify(run)).toBe(201);
    await api.settle(run.id);
    const { body: events } = await api.request("GET", `runs/${run.id}/events?limit=1000`);
    const takers = (nodeId: string): string[] =>
      events.data
        .filter(({ type, payload }: { type: string; payload: { nodeId?: string } }) => {
          return type === "node.started" && payload.nodeId === nodeId;
        })
        .map(({ payload }: { payload: { agentId: string } }) => payload.agentId);
    expect(takers("find")).toEqual(["scout"]);
    expect(takers("write")).toEqual(["junior", "senior"]);
    const { body: state } = await api.request("GET", `runs/${run.id}/state`);
    expect(state).toMatchObject({ isPaused: true, nodeResults: [{}, {}, { nodeId: "translate", status: "blocked" }] });

    const assign = (assignTo: string) =>
      api.request("POST", `runs/${run.id}/nodes/translate/resolve`, { body: { assignTo } });
    expect((await assign("senior")).body.code).toBe("contract_violated");
    expect((await assign("linguist")).status).toBe(200);
    expect(await api.settle(run.id)).toBe("completed");
  });
});

describe("the example of a nightly check", () => {
  it("registers what starts it and whom it tells", async () => {
    const api = await createApi({ nextSlots });
    await api.save(read("12-nightly.lobsterX").replaceAll(/^#.*\n/gm, ""));
    const applied = await api.request("POST", "apply", { body: read("12-registry/outside.yaml"), headers: YAML });
    expect(applied.body).toMatchObject({
      applied: [
        { kind: "Schedule", action: "created" },
        { kind: "Webhook", action: "created" },
        { kind: "Alert", action: "created" },
      ],
    });
    const { body: slots } = await api.request("GET", "schedules/every-night/slots");
    expect(slots.nextSlots).toHaveLength(5);
    const { body: webhook } = await api.request("GET", "webhooks/ops");
    expect(JSON.stringify(webhook)).not.toContain("whsec_");
    await api.close();
  });
});

describe("the example of tools", () => {
  it("registers what is known of them, so that nothing is left open about the workflow that names them", async () => {
    const api = await createApi();
    // The file says it itself; without that, the manifests say it.
    const source = read("22-tools.lobsterX").replace("{ name: orders/find, action: read }", "orders/find");
    const warned = async (): Promise<readonly string[]> => {
      const { body } = await api.request("POST", "validate", { body: { source } });
      return body.warnings.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`);
    };
    expect(await warned()).toEqual(["tool_action_unknown steps[0].tools[0]"]);
    const applied = await api.request("POST", "apply", { body: read("22-registry/tools.yaml"), headers: YAML });
    expect(applied.status, JSON.stringify(applied.body)).toBe(200);
    expect(await warned()).toEqual([]);
    await api.close();
  });
});

describe("the example of an invoice", () => {
  it("registers whom it notifies, by the rules of both", async () => {
    const api = await createApi();
    const applied = await api.request("POST", "apply", { body: read("14-registry/channels.yaml"), headers: YAML });
    expect(applied.body).toMatchObject({
      applied: [
        { kind: "Channel", name: "approvers-mail", action: "created" },
        { kind: "Channel", name: "board", action: "created" },
        { kind: "Channel", name: "ops", action: "created" },
      ],
    });
    await api.save(read("14-invoice.lobsterX").replaceAll(/^#.*\n/gm, ""));
    const { store, gateways } = api;
    const clock = createSystemClock();
    const recipients = memberRecipients(store, () => clock.now());
    const publicUrl = (): string => "http://127.0.0.1:1";
    const kinds = [channelTargets({ store, secrets: secretsOver(store, gateways.box), clock, recipients, publicUrl })];
    const onTrouble = (what: string, error: unknown): never => expect.fail(`${what} ${String(error)}`);
    const deliveries = openDeliveries({ store, kinds, clock, onTrouble });
    await deliveries.round();
    api.runtime.onCommitted((runId, events) => deliveries.onCommitted(runId, events));
    await api.run("pay-invoice", { amount: 12_000 });
    await api.run("pay-invoice", { amount: 5 });
    await deliveries.round();
    const sent = async (name: string): Promise<unknown> =>
      (await api.request("GET", `channels/${name}/deliveries`)).body.data.map(
        ({ type, recipient }: { type: string; recipient: string | null }) => [type, recipient],
      );
    expect(await sent("board")).toEqual([["approval.requested", null]]);
    expect(await sent("approvers-mail")).toEqual([
      ["approval.requested", "ann@example.com"],
      ["approval.requested", "ann@example.com"],
    ]);
    expect(await sent("ops")).toEqual([]);
    await deliveries.stop();
    await api.close();
  });
});

describe("the examples from other systems", () => {
  it("register what starts them", async () => {
    const api = await createApi({ nextSlots });
    for (const file of ["09-argo-cron", "20-actions-stale", "22-actions-summary", "23-n8n-solar-flares"])
      await api.save(read(`from-others/${file}.lobsterX`).replaceAll(/^#.*\n/gm, ""));
    const applied = await api.request("POST", "apply", { body: read("from-others/registry.yaml"), headers: YAML });
    expect(applied.body, JSON.stringify(applied.body)).toMatchObject({
      applied: ["scheduled-hello", "stale-issues", "issue-summary", "solar-flares"].map((name) => ({
        kind: "Trigger",
        name,
        action: "created",
      })),
    });
    const issue = { number: 7, title: "It leaks", body: "From above." };
    const tried = await api.request("POST", "triggers/issue-summary/test", {
      body: { body: { action: "opened", issue } },
    });
    expect(tried.body).toMatchObject({ args: { number: 7, title: "It leaks", text: "From above." } });
    await api.close();
  });
});

describe("the example of an agent's turn", () => {
  let api: Api;
  beforeEach(async () => {
    api = await createApi({}, read("23-agent-turn.script.yaml"));
    const applied = await api.request("POST", "apply", { body: read("23-registry/turn.yaml"), headers: YAML });
    expect(applied.status, JSON.stringify(applied.body)).toBe(200);
    await api.save(read("23-agent-turn.lobsterX").replaceAll(/^#.*\n/gm, ""));
  });
  afterEach(() => api.close());

  /** Runs it until the refund is held, answers, and lets it end. */
  async function answered(answer: object): Promise<TurnView> {
    const runId = await api.run("broken-order");
    const { body: pending } = await api.request("GET", "approvals?status=pending");
    const path = `approvals/${pending.data[0].id}`;
    expect((await api.request("GET", path)).body).toMatchObject({
      runId,
      nodeId: "help",
      source: "tool",
      choices: ["approve", "reject", "abort"],
      subject: {
        call: {
          tool: "refund",
          args: { order: 7, amount: 900 },
          action: "financial",
          round: 1,
          words: "The lamp arrived broken, so I refund all of it.",
        },
        costMicros: 30_000,
        policies: [{ name: "refunds-over-100", reason: "refunds over 100 need a person" }],
      },
    });
    const resolved = await api.request("POST", `${path}/resolve`, { body: answer });
    expect(resolved.status, JSON.stringify(resolved.body)).toBe(200);
    expect(await api.settle(runId)).toBe("completed");
    return (await api.request("GET", `runs/${runId}/nodes/help/turn`)).body;
  }

  it("is foreseen by a simulation: the refund would be held, by which gate and why", async () => {
    const { body } = await api.request("POST", "simulate", {
      body: { workflow: "broken-order", script: read("23-agent-turn.script.yaml") },
    });
    expect(body.nodes[0]).toMatchObject({ nodeId: "help", verdict: "allow", waitsForPerson: true });
    expect(body.calls).toMatchObject([
      { nodeId: "help", round: 0, tool: "find_order", disposition: "allow", gate: null },
      {
        nodeId: "help",
        round: 1,
        tool: "refund",
        disposition: "hold",
        gate: "approval_required",
        reason: expect.stringContaining("refunds over 100 need a person"),
      },
    ]);
  });

  it("has cost what its rounds have, once, wherever that is shown", async () => {
    const { runId, costMicros } = await answered({ decision: "reject", reason: "it was sold as broken" });
    expect(costMicros).toBe(40_000);
    const letter = 5_000;
    const get = async (path: string) => (await api.request("GET", path)).body;
    const node = await get(`runs/${runId}/nodes/help`);
    expect(node.attempts.map((attempt: { costMicros: number }) => attempt.costMicros)).toEqual([costMicros]);
    const { nodeResults } = await get(`runs/${runId}/state`);
    expect(nodeResults.find(({ nodeId }: { nodeId: string }) => nodeId === "help").costMicros).toBe(costMicros);
    const { data: events } = await get(`runs/${runId}/events?limit=1000`);
    const ended = events.find(
      ({ type, payload }: { type: string; payload: { nodeId?: string } }) =>
        type === "node.completed" && payload.nodeId === "help",
    );
    expect(ended.payload.costMicros).toBe(costMicros);
    expect((await get(`runs/${runId}`)).costMicros).toBe(costMicros + letter);
    expect((await get("usage")).totals.costMicros).toBe(costMicros + letter);
  });

  it("is branched inside its turn, and refused with a reason where it cannot be", async () => {
    const { runId } = await answered({ decision: "reject", reason: "it was sold as broken" });
    const branch = async (body: object) => {
      const { status, body: reply } = await api.request("POST", `runs/${runId}/branch`, { body });
      return { status, code: reply.code, ...reply };
    };
    const point = (round: number, edit?: object) => ({ turn: { node: "help", round, edit } });
    expect(await branch({})).toMatchObject({ status: 422, code: "invalid_request" });
    expect(await branch({ eventId: 1, ...point(0) })).toMatchObject({ status: 422, code: "invalid_request" });
    expect(await branch({ ...point(0), args: {} })).toMatchObject({ status: 422, code: "invalid_request" });
    expect(await branch(point(9))).toMatchObject({ status: 422, code: "unknown_round" });
    expect(await branch({ turn: { node: "zz", round: 0 } })).toMatchObject({ status: 422, code: "unknown_node" });
    expect(await branch(point(0, { callId: "none", result: 1 }))).toMatchObject({ status: 422, code: "unknown_call" });
    const edit = { callId: `${runId}/help/0/1/0`, result: { done: true } };
    const started = await branch(point(1, edit));
    expect(started).toMatchObject({ carriedOver: [], continues: { nodeId: "help", rounds: 2 } });
    expect(started["runsAgain"]).toEqual(["help", "letter"]);
    expect(await api.settle(started["id"])).toBe("completed");
    const { body: turn } = await api.request("GET", `runs/${started["id"]}/nodes/help/turn`);
    expect(turn.rounds.map(({ isCarried }: { isCarried: boolean }) => isCarried)).toEqual([true, true, false]);
    expect(turn.rounds[1].calls[0]).toMatchObject({
      verdict: { disposition: "allow" },
      result: { value: { done: true } },
    });
    // What is kept was paid by the run it comes from.
    const { body: run } = await api.request("GET", `runs/${started["id"]}`);
    expect(run.costMicros).toBe(turn.costMicros + 5_000);
  });

  it("is held before it refunds 900, and refunds what a person approves", async () => {
    const turn = await answered({ decision: "approve", modifications: { args: { order: 7, amount: 450 } } });
    expect(turn).toMatchObject({
      status: "completed",
      costMicros: 40_000,
      rounds: [
        {
          text: "I look up the order first.",
          finish: "tool_calls",
          segment: 0,
          calls: [
            { tool: "find_order", action: "read", verdict: { disposition: "allow" }, result: { value: { paid: 900 } } },
          ],
        },
        {
          costMicros: 20_000,
          calls: [
            {
              callId: `${turn.runId}/help/0/1/0`,
              tool: "refund",
              args: { order: 7, amount: 450 },
              askedArgs: { order: 7, amount: 900 },
              effects: "at_most_once",
              verdict: { disposition: "allow", verdictId: null },
              approvalId: expect.stringMatching(/^apr_/),
              result: { value: { done: true }, isError: false, by: null },
            },
          ],
        },
        { segment: 1, text: "I have refunded 450; the lamp can be repaired.", finish: "stop", calls: [] },
      ],
    });
  });

  it("is given the reason when a person rejects the call, and answers all the same", async () => {
    const { rounds } = await answered({ decision: "reject", reason: "it was sold as broken" });
    expect(rounds[1]?.calls).toMatchObject([
      { verdict: { disposition: "deny", reason: expect.stringContaining("it was sold as broken") }, result: null },
    ]);
    expect(rounds[2]?.text).toBe("I may not refund it; a person will write to you.");
  });

  it("has a turn only where an agent has one", async () => {
    const runId = await api.run("broken-order");
    expect((await api.request("GET", `runs/${runId}/nodes/letter/turn`)).body).toMatchObject({ rounds: [] });
    expect((await api.request("GET", `runs/${runId}/nodes/help/turn`)).body.rounds[1]).toMatchObject({
      calls: [{ verdict: { disposition: "hold", gate: "approval_required" }, isUnknown: false, result: null }],
    });
    for (const [path, code] of [
      [`runs/${runId}/nodes/missing/turn`, "unknown_node"],
      ["runs/run_none/nodes/help/turn", "unknown_run"],
    ] as const) {
      expect((await api.request("GET", path)).body).toMatchObject({ status: 404, code });
    }
    const reader = await api.key(["workflow:read"]);
    expect((await api.request("GET", `runs/${runId}/nodes/help/turn`, { key: reader })).status).toBe(403);
  });
});
