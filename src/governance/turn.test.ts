import { describe, expect, it } from "vitest";
import { createVirtualClock } from "../clock/index.ts";
import { digestJson, type Json, type JsonObject, required } from "../core/base/index.ts";
import type { RequestRoundVerdict, RequestToolVerdict, Route } from "../core/engine/index.ts";
import { checkSource, type Plan } from "../core/plan/index.ts";
import { EMPTY_CATALOG } from "../core/definition/index.ts";
import { openGateways } from "../gateway/index.ts";
import { entryKindOf, readSpec, type RegisteredKind } from "../registry/index.ts";
import { createMemoryStore, type Reservation, type Store } from "../store/index.ts";
import type { Governor } from "./governor.ts";
import { aboutRun, changesOf } from "../../test/governance/scene.ts";
import type { AboutRun } from "./judge.ts";
import { openGovernance } from "./open-governance.ts";
import { createAllowAllJudge } from "./open-judge.ts";
import { slotChangesOf, type TurnTaking } from "./turn-ruling.ts";

const ORG = "default";
const AT = Date.UTC(2026, 10, 16, 12);
const PLAN = planOf(
  "{ id: a, command: go, tools: [pay/*, { name: search, action: read }], turn: { max_tool_calls: 9 } }",
);

function planOf(step: string): Plan {
  const { plan, problems } = checkSource(`name: w\nsteps: [${step}]\n`, EMPTY_CATALOG);
  if (plan === null) throw new Error(JSON.stringify(problems));
  return plan;
}

type Manifest = readonly [RegisteredKind, string, Json];

async function put(store: Store, ...manifests: readonly Manifest[]): Promise<void> {
  await store.ensureOrganisation(ORG);
  for (const [kind, name, spec] of manifests) {
    const read = readSpec(kind, name, spec);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    await store.putEntry(ORG, entryKindOf(kind), name, read.body, AT);
  }
}

async function governorOn(store: Store): Promise<Governor> {
  const clock = createVirtualClock(AT);
  const onTrouble = (what: string, error: unknown): never => {
    throw new Error(`${what}: ${String(error)}`);
  };
  const local = { providers: ["scripted"], defaultProvider: "scripted", answersAny: true };
  const { directory } = await openGateways({ store, clock, secretKey: null, local, onTrouble });
  const { governor } = openGovernance({ store, directory, clock, isAlone: false, startRate: null, onTrouble });
  await governor.prepare(new Set([ORG]));
  return governor;
}

async function governing(...manifests: readonly Manifest[]): Promise<Governor> {
  const store = createMemoryStore();
  await put(store, ...manifests);
  return governorOn(store);
}

const about = (changes: Partial<AboutRun> = {}): AboutRun =>
  aboutRun({ orgId: ORG, plan: PLAN, at: AT, nextEventId: 7, ...changes });

const ROUTE: Route = {
  agentId: "default",
  gatewayId: "local",
  provider: "scripted",
  model: "m",
  executionPath: "edge",
};

const [NODE] = PLAN.nodes;
const hints = (plan: Plan = PLAN) => required(plan.nodes[0] ?? NODE, "the plan has a node").request;

function call(changes: Partial<RequestToolVerdict> = {}, args: JsonObject = { amount: 900 }): RequestToolVerdict {
  return {
    type: "request-tool-verdict",
    nodeId: "a",
    epoch: 0,
    attempt: 1,
    callId: "run_1/a/0/2/0",
    round: 2,
    call: { tool: "refund", server: "pay", args },
    argsDigest: digestJson(args),
    callsBefore: 3,
    repeatsBefore: 0,
    isApproved: false,
    route: ROUTE,
    hints: hints(),
    ...changes,
  };
}

function round(changes: Partial<RequestRoundVerdict> = {}): RequestRoundVerdict {
  return {
    type: "request-round-verdict",
    nodeId: "a",
    epoch: 0,
    attempt: 1,
    rounds: 3,
    extraRounds: 0,
    contextTokens: 1_000,
    route: ROUTE,
    hints: hints(),
    ...changes,
  };
}

const REFUNDS: Manifest = [
  "Tool",
  "refunds",
  { name: "pay/refund*", action: "financial", effects: "at_most_once", timeout: "30s", redact: ["card.number"] },
];
const BOUNDED: Manifest = ["Agent", "default", { autonomy: "bounded" }];

describe("the ruling on a tool call", () => {
  it("allows, with what is known of the tool, and keeps verdict and audit entry", async () => {
    const governor = await governing(REFUNDS, BOUNDED);
    const request = call({}, { amount: 1, card: { number: "4111" } });
    const { verdict, taken, record, audit } = governor.decideTool(request, about());
    expect(verdict).toEqual({
      disposition: "allow",
      verdictId: "vrd_run_1/a/0/2/0/7",
      action: "financial",
      effects: "at_most_once",
      timeoutMs: 30_000,
    });
    expect(taken).toBeNull();
    expect(record).toMatchObject({ verdictId: verdict.verdictId, nodeId: "a", attempt: null, disposition: "allow" });
    const body = JSON.parse(record?.bodyText ?? "{}") as JsonObject;
    expect(body).toMatchObject({
      callId: request.callId,
      facts: { tool: { name: "pay/refund", argsDigest: request.argsDigest } },
    });
    expect(audit).toMatchObject([
      {
        type: "tool.decided",
        category: "governance",
        resource: "tool/pay/refund",
        run: "run_1",
        node: "a",
        detail: { callId: request.callId, argsDigest: request.argsDigest, disposition: "allow", action: "financial" },
      },
    ]);
    expect(`${record?.bodyText}${JSON.stringify(audit)}`).not.toContain("4111");
  });

  it("denies with gate, code and a reason for the model", async () => {
    const governor = await governing(BOUNDED, [
      "Policy",
      "large",
      { category: "tool", condition: "tool.args.amount > 500", action: "block", reason: "too much" },
    ]);
    const { verdict, record, audit } = governor.decideTool(call(), about());
    expect(verdict).toMatchObject({
      disposition: "deny",
      gate: "policy_rules",
      code: "policy_blocked",
      reason: "policy large@1 (too much) blocks a call of pay/refund",
      action: "execute",
    });
    expect(record).toMatchObject({ disposition: "block", gate: "policy_rules", code: "policy_blocked" });
    expect(audit).toMatchObject([{ detail: { disposition: "deny", gate: "policy_rules", code: "policy_blocked" } }]);
    expect(governor.decideTool(call({}, { amount: 500 }), about()).verdict.disposition).toBe("allow");
    expect(governor.decideTool(call({ callsBefore: 9 }), about()).verdict).toMatchObject({ code: "turn_limits" });
    expect(governor.decideTool(call({ call: { tool: "x", args: {} } }), about()).verdict).toMatchObject({
      code: "tool_not_allowed",
    });
  });

  it("holds for a person, and not when that person has approved", async () => {
    const governor = await governing(REFUNDS, [
      "Tool",
      "asked",
      { name: "*", server: "p*", approval: { approvers: ["role:risk"] } },
    ]);
    const { verdict, record, audit } = governor.decideTool(call(), about());
    expect(verdict).toMatchObject({
      disposition: "hold",
      gate: "approval_required",
      policies: ["Tool/asked", "rung"],
      rule: { approvers: [{ who: "role:risk", withinMs: null }] },
      facts: { provider: "scripted", model: "m", trust: 5, estimateMicros: null },
    });
    expect([record?.disposition, audit[0]?.detail["disposition"]]).toEqual(["hold", "hold"]);
    expect(governor.decideTool(call({ isApproved: true }), about()).verdict.disposition).toBe("allow");
  });

  it("takes the word of a trusted server, and the step's own", async () => {
    const governor = await governing(["Tool", "files", { name: "*", server: "files", trusted: true }]);
    const plan = planOf("{ id: a, command: go, tools: ['*', { name: 'files/p*', action: write }] }");
    const ask = (tool: string, readOnly: boolean, server = "files") =>
      governor.decideTool(
        call({ call: { tool, server, args: {}, hints: { readOnly } }, hints: hints(plan) }),
        about({ plan }),
      ).verdict.action;
    expect([ask("get", true), ask("get", false), ask("get", true, "other"), ask("put", true)]).toEqual([
      "read",
      "execute",
      "execute",
      "write",
    ]);
  });

  it("is covered by a grant from the moment it is there until it is revoked", async () => {
    const store = createMemoryStore();
    await put(store, REFUNDS);
    const disposition = async (args: JsonObject, changes: Partial<AboutRun> = {}): Promise<string> =>
      (await governorOn(store)).decideTool(call({}, args), about(changes)).verdict.disposition;
    expect(await disposition({ amount: 10 })).toBe("hold");
    const until = new Date(AT + 1_000).toISOString();
    await put(store, ["Grant", "small", { tool: "pay/refund", where: "tool.args.amount <= 50", run: "run_1", until }]);
    expect(await disposition({ amount: 10 })).toBe("allow");
    expect(await disposition({ amount: 51 })).toBe("hold");
    expect(await disposition({ amount: 10 }, { runId: "run_2" })).toBe("hold");
    expect(await disposition({ amount: 10 }, { at: AT + 1_000 })).toBe("hold");
    await store.deleteEntry(ORG, "grant", "small");
    expect(await disposition({ amount: 10 })).toBe("hold");
  });
});

describe("how often a tool is called", () => {
  const LIMITED: Manifest = ["Tool", "often", { name: "pay/*", rate: { count: 2, per_seconds: 60 } }];
  const disposition = (governor: Governor, changes: Partial<AboutRun> = {}, agentId = "default") =>
    governor.decideTool(call({ route: { ...ROUTE, agentId } }), about(changes));

  it("is counted at once, for each agent, and given back when the commit does not stand", async () => {
    const governor = await governing(LIMITED, ["Agent", "other", {}]);
    const taken = [disposition(governor), disposition(governor)].flatMap((ruling) => ruling.taken ?? []);
    expect(taken).toHaveLength(2);
    const denied = disposition(governor);
    expect(denied).toMatchObject({ verdict: { code: "tool_rate_limited" }, taken: null });
    const reason = expect.stringContaining("try again after 60 s") as string;
    expect(denied.verdict).toMatchObject({ reason, retryAfterMs: 60_000 });
    expect(disposition(governor, {}, "other").verdict.disposition).toBe("allow");
    governor.dropped(ORG, { taken: [], takenInTurns: taken.slice(1) });
    expect(disposition(governor).verdict.disposition).toBe("allow");
  });

  it("is a row of the commit, and counts in its window from then on", async () => {
    const governor = await governing(LIMITED);
    const taken: TurnTaking[] = [];
    for (const at of [AT, AT, AT + 30_000]) taken.push(...[disposition(governor, { at }).taken ?? []].flat());
    const slots = slotChangesOf(taken);
    expect(slots).toEqual([
      {
        agentId: "tool/often/default",
        delta: 0,
        maxOpen: null,
        hits: [{ at: AT, count: 2 }],
        rate: { count: 2, windowMs: 60_000 },
      },
    ]);
    governor.committed(ORG, changesOf({ takenInTurns: taken, slots }));
    expect(disposition(governor, { at: AT + 59_999 }).verdict.disposition).toBe("deny");
    expect(disposition(governor, { at: AT + 60_000 }).verdict.disposition).toBe("allow");
  });
});

describe("the place of a held call", () => {
  const ASKED: Manifest = [
    "Tool",
    "asked",
    { name: "pay/*", rate: { count: 2, per_seconds: 60 }, approval: "required" },
  ];

  it("is taken when it is held, so that no more can wait than may be made, and once", async () => {
    const governor = await governing(ASKED);
    const asks = (changes: Partial<RequestToolVerdict> = {}, at = AT) =>
      governor.decideTool(call(changes), about({ at }));
    const held = [asks(), asks()];
    expect(held.map(({ verdict }) => verdict.disposition)).toEqual(["hold", "hold"]);
    expect(asks().verdict).toMatchObject({ disposition: "deny", code: "tool_rate_limited" });
    // Other args than those that were asked about: it has its place.
    expect(asks({ isApproved: true, heldAt: AT })).toMatchObject({ verdict: { disposition: "allow" }, taken: null });
    // A place that has become free since may be another's.
    const taken = held.flatMap((ruling) => ruling.taken ?? []);
    governor.committed(ORG, changesOf({ takenInTurns: taken, slots: slotChangesOf(taken) }));
    const later = AT + 60_000;
    asks({}, later);
    expect(asks({ isApproved: true, heldAt: AT }, later)).toMatchObject({
      verdict: { disposition: "allow" },
      taken: {},
    });
    expect(asks({ isApproved: true, heldAt: AT }, later).verdict).toMatchObject({ code: "tool_rate_limited" });
  });
});

describe("the ruling on the next round", () => {
  const PRICE: Manifest = [
    "Model",
    "scripted:m",
    { input_usd_per_mtok: 1_000, output_usd_per_mtok: 1_000, max_output_tokens: 500 },
  ];
  const BUDGET: Manifest = ["Budget", "ops", { scope: "global", period: "daily", amount_usd: 10 }];
  const DAY = Date.UTC(2026, 10, 16);
  const held = (micros: number): readonly Reservation[] => [{ envelopeId: "ops", periodStart: DAY, micros }];
  const spent = (usd: number) => ({
    envelopeId: "ops",
    periodStart: DAY,
    spent: usd * 1_000_000,
    reserved: 0,
    ceiling: null,
  });

  it("reserves what the next one reads and may answer, in place of what is held", async () => {
    const governor = await governing(PRICE, BUDGET);
    governor.committed(ORG, changesOf({ ledger: [{ ...spent(8), reserved: 1_500_000 }] }));
    const { verdict, reserved, taken, record } = governor.decideRound(round(), about(), held(1_500_000));
    // 1,000 tokens read and 500 written, at 1,000 dollars a million.
    expect([verdict, record]).toEqual([{ disposition: "go" }, null]);
    expect(reserved).toEqual([{ envelopeId: "ops", periodStart: DAY, micros: 1_500_000, ceiling: 10_000_000 }]);
    expect(taken?.reserved).toEqual([]);
    const more = governor.decideRound(round({ contextTokens: 1_500 }), about(), held(1_500_000));
    expect(more.reserved?.[0]?.micros).toBe(2_000_000);
    expect(more.taken?.reserved).toEqual([{ envelopeId: "ops", periodStart: DAY, micros: 500_000 }]);
  });

  it("stops what does not fit, beside what others have just taken, and keeps why", async () => {
    const governor = await governing(PRICE, BUDGET);
    governor.committed(ORG, changesOf({ ledger: [spent(7)] }));
    const first = governor.decideRound(round(), about(), []);
    expect(first.verdict.disposition).toBe("go");
    expect(governor.decideRound(round({ nodeId: "b" }), about({ runId: "run_2" }), []).verdict.disposition).toBe("go");
    const { verdict, reserved, record } = governor.decideRound(round(), about({ runId: "run_3" }), []);
    expect(verdict).toMatchObject({ disposition: "stop", gate: "budgets", code: "budget_exceeded" });
    expect([reserved, record?.disposition, record?.code]).toEqual([null, "block", "budget_exceeded"]);
    expect(JSON.parse(record?.bodyText ?? "{}")).toMatchObject({ facts: { format: "round/1", rounds: 3 } });
    governor.dropped(ORG, { taken: [], takenInTurns: [first.taken ?? { hits: [], reserved: [] }] });
    expect(governor.decideRound(round(), about({ runId: "run_3" }), []).verdict.disposition).toBe("go");
  });

  it("knows what the run itself has spent in the same commit", async () => {
    const governor = await governing(PRICE, BUDGET);
    const returned = (usd: number): AboutRun["returned"] => ({
      slotsOf: () => 0,
      memoriesOf: () => [],
      spendingOf: () => ({ spentMicros: usd * 1_000_000, reservedMicros: 0 }),
    });
    expect(governor.decideRound(round(), about({ returned: returned(8.5) }), []).verdict.disposition).toBe("go");
    expect(governor.decideRound(round(), about({ returned: returned(8.6) }), []).verdict.disposition).toBe("stop");
  });

  it("keeps the period in which the attempt was admitted", async () => {
    const governor = await governing(PRICE, BUDGET, ["Agent", "default", { budget_monthly_usd: 50 }]);
    const tomorrow = about({ at: AT + 86_400_000 });
    const monthly = { envelopeId: "agent/default/monthly", periodStart: Date.UTC(2026, 10, 1), micros: 1_000 };
    const { reserved } = governor.decideRound(round(), tomorrow, [...held(1_000), monthly]);
    expect(reserved?.map(({ periodStart }) => periodStart)).toEqual([monthly.periodStart, DAY]);
    const december = about({ at: Date.UTC(2026, 11, 2) });
    expect(governor.decideRound(round(), december, [monthly]).reserved?.map(({ periodStart }) => periodStart)).toEqual([
      monthly.periodStart,
      Date.UTC(2026, 11, 2),
    ]);
  });

  it("ends the turn at its limit of rounds, the lower of the step's and the agent's", async () => {
    const governor = await governing(["Agent", "default", { turn: { max_rounds: 4 } }]);
    expect(governor.decideRound(round(), about(), []).verdict.disposition).toBe("go");
    const at = round({ rounds: 4 });
    expect(governor.decideRound(at, about(), []).verdict).toMatchObject({ disposition: "stop", code: "turn_limits" });
    expect(governor.decideRound({ ...at, extraRounds: 1 }, about(), []).verdict.disposition).toBe("go");
  });
});

describe("a judge for runs in one process", () => {
  it("lets every call and round pass that the step has left", () => {
    const judge = createAllowAllJudge(new Set(["scripted"]), "scripted");
    const ask = (changes: Partial<RequestToolVerdict>) => judge.decideTool?.(call(changes), about()).verdict;
    expect(ask({ call: { tool: "any", args: {} }, callsBefore: 8 })).toMatchObject({
      disposition: "allow",
      action: "execute",
    });
    expect(ask({ callsBefore: 9 })).toMatchObject({ disposition: "deny", code: "turn_limits" });
    expect(ask({ repeatsBefore: 3 })).toMatchObject({ disposition: "deny", code: "turn_limits" });
    const next = (rounds: number) => judge.decideRound?.(round({ rounds }), about(), []).verdict.disposition;
    expect([next(19), next(20)]).toEqual(["go", "stop"]);
  });
});
