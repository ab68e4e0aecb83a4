import { describe, expect, it } from "vitest";
import { DAY_MS, type JsonObject } from "../base/index.ts";
import { ANYONE } from "../definition/index.ts";
import { instantText } from "./calendar.ts";
import type { DispatchFacts, LaunchFacts } from "./facts.ts";
import type { Judgement } from "./gate.ts";
import { judgeDispatch, judgeLaunch } from "./judge.ts";
import { agentOf, envelope, factsOf, GATEWAY, launchOf, NOW, policyOf } from "./sample.test.ts";

type Blocked = Extract<Judgement, { disposition: "block" }>;

function blocked(judgement: Judgement): Blocked {
  if (judgement.disposition !== "block") throw new Error(`expected a block, but it is ${judgement.disposition}`);
  return judgement;
}

/** What was compared, and what would let it through: `action target`. */
type Case = readonly [what: string, facts: JsonObject, unblock: readonly string[]];

const ways = ({ explanation }: Blocked): readonly string[] =>
  explanation.unblock.map(({ action, target }) => `${action} ${target}`);
const says = ({ explanation }: Blocked): string =>
  [explanation.message, ...explanation.unblock.map((u) => u.detail)].join(" ");

const RATE = { count: 2, perSeconds: 60, used: 2, freesAt: NOW + 1_000 };
const POC_SINCE = NOW - 61 * DAY_MS;
const reading = (source: DispatchFacts["node"]["contextSources"][number]) => ({
  node: { ...factsOf().node, contextSources: [source] },
});

const DISPATCHES: readonly (readonly [...Case, Partial<DispatchFacts>])[] = [
  ["no gateway", { gateway: null }, ["register_gateway Gateway"], { gateway: null }],
  [
    "a gateway offline",
    { gateway: "local", status: "offline" },
    ["restore_gateway Gateway/local", "reroute Gateway/local"],
    { gateway: { ...GATEWAY, status: "offline" } },
  ],
  [
    "an agent that is not registered",
    { agent: "analyst", isKnown: false },
    ["register_agent Agent/analyst"],
    { agent: null },
  ],
  [
    "a status",
    { agent: "analyst", status: "error" },
    ["change_agent Agent/analyst"],
    { agent: agentOf({ status: "error" }) },
  ],
  [
    "a pause",
    { agent: "analyst", status: "paused" },
    ["change_agent Agent/analyst"],
    { agent: agentOf({ status: "paused" }) },
  ],
  [
    "an archive",
    { agent: "analyst", lifecycle: "archived" },
    ["change_agent Agent/analyst"],
    { agent: agentOf({ lifecycle: "archived" }) },
  ],
  [
    "a lifecycle",
    { agent: "analyst", lifecycle: "draft" },
    ["change_agent Agent/analyst"],
    { agent: agentOf({ lifecycle: "draft" }) },
  ],
  [
    "a phase",
    { agent: "analyst", phase: "sunset" },
    ["change_agent Agent/analyst"],
    { agent: agentOf({ phase: "sunset" }) },
  ],
  [
    "a proof of concept that is over",
    { agent: "analyst", phase: "poc", phaseSince: POC_SINCE, at: NOW },
    ["change_agent Agent/analyst"],
    { agent: agentOf({ phase: "poc", phaseSince: POC_SINCE }) },
  ],
  [
    "a credential",
    { agent: "analyst", expiresAt: NOW, isRevoked: false, at: NOW },
    ["renew_identity Agent/analyst"],
    { agent: agentOf({ identity: { expiresAt: NOW, isRevoked: false } }) },
  ],
  [
    "slots",
    { agent: "analyst", openAttempts: 4, maxConcurrent: 4, waitingAhead: 0 },
    ["raise_limit Agent/analyst", "wait run_7/x"],
    { openAttempts: 4, openExamples: [{ runId: "run_7", nodeId: "x" }] },
  ],
  [
    "a rate",
    { agent: "analyst", used: 2, count: 2, perSeconds: 60, freesAt: NOW + 1_000 },
    ["raise_limit Agent/analyst", "wait Agent/analyst"],
    { rate: RATE },
  ],
  [
    "trust",
    { agent: "analyst", trustLevel: 5, gateway: "local", minTrustLevel: 6 },
    ["raise_trust Agent/analyst", "reroute Gateway/local"],
    { gateway: { ...GATEWAY, minTrustLevel: 6 } },
  ],
  [
    "a rung",
    { agent: "analyst", autonomy: "assistive", node: "assess", action: "execute" },
    ["raise_autonomy Agent/analyst"],
    { agent: agentOf({ autonomy: "assistive" }) },
  ],
  [
    "a class",
    { class: "untrusted", agent: "analyst", mayRead: ["trusted", "internal", "external"] },
    ["change_agent Agent/analyst"],
    reading({ class: "untrusted" }),
  ],
  [
    "an age",
    { class: "internal", agent: "analyst", asOf: "2031-05-04T08:00:00Z", ageHours: 2, maxAgeHours: 1, at: NOW },
    ["refresh_source Agent/analyst"],
    { ...reading({ class: "internal", asOf: "2031-05-04T08:00:00Z" }), agent: agentOf({ maxAgeHours: 1 }) },
  ],
  [
    "an environment",
    { class: "internal", gateway: "local", environment: "production", gatewayEnvironment: "staging" },
    ["reroute Gateway/local"],
    reading({ class: "internal", environment: "production" }),
  ],
  [
    "a price",
    { ceilings: ["ops"], estimateMicros: null },
    ["register_model Model/openai:gpt-x", "set_estimate assess"],
    { estimateMicros: null, envelopes: [envelope()] },
  ],
  [
    "a policy",
    { policy: "rule@1", scope: "global", scopeId: null, condition: "true", error: null, alsoBlocking: [] },
    ["change_policy Policy/rule"],
    { policies: [policyOf()] },
  ],
  [
    "a closed platform",
    { open: false, reason: "incident" },
    ["open_platform platform"],
    { platform: { isOpen: false, reason: "incident" } },
  ],
];

const LAUNCHES: readonly (readonly [...Case, Partial<LaunchFacts>])[] = [
  [
    "a closed platform",
    { open: false, reason: null },
    ["open_platform platform"],
    { platform: { isOpen: false, reason: null } },
  ],
  [
    "a paused workflow",
    { workflow: "vendor", status: "paused" },
    ["activate_workflow Workflow/vendor"],
    { workflowStatus: "paused" },
  ],
  [
    "a deprecated workflow",
    { workflow: "vendor", status: "deprecated" },
    ["activate_workflow Workflow/vendor"],
    { workflowStatus: "deprecated" },
  ],
  [
    "a posture that never launches",
    { workflow: "vendor", posture: "advisory", hasApprovedLaunch: false },
    ["change_posture Workflow/vendor"],
    { posture: "advisory" },
  ],
  [
    "a posture that wants an approved launch",
    { workflow: "vendor", posture: "approval_required", hasApprovedLaunch: false },
    ["approve_launch Workflow/vendor", "change_posture Workflow/vendor"],
    { posture: "approval_required" },
  ],
  [
    "starts",
    { used: 2, count: 2, perSeconds: 60, freesAt: NOW + 1_000 },
    ["wait key", "raise_start_rate server"],
    { rate: RATE },
  ],
  [
    "a policy that wants an approved launch",
    { policy: "ask@1" },
    ["approve_launch Policy/ask"],
    { policies: [policyOf({ name: "ask", category: "run_creation", action: "require_approval" })] },
  ],
];

describe("a block is explained by what was compared and what would let it through", () => {
  it.each(DISPATCHES)("of a dispatch: %s", (_, facts, unblock, changes) => {
    const judgement = blocked(judgeDispatch({ ...factsOf(), ...changes }));
    expect(judgement.explanation.facts).toMatchObject(facts);
    expect(ways(judgement)).toEqual(unblock);
    expect(judgement.explanation.unblock.every(({ detail }) => detail.length > 3)).toBe(true);
  });

  it.each(LAUNCHES)("of a launch: %s", (_, facts, unblock, changes) => {
    const judgement = blocked(judgeLaunch({ ...launchOf(), ...changes }));
    expect(judgement.explanation.facts).toMatchObject(facts);
    expect(ways(judgement)).toEqual(unblock);
    expect(judgement.block.after).toBe("final");
    expect(judgement.explanation.unblock.every(({ detail }) => detail.length > 3)).toBe(true);
  });

  it("says nothing of a phase's beginning where the phase is not the reason", () => {
    const { explanation } = blocked(judgeDispatch(factsOf({ agent: { status: "error" } })));
    expect(explanation.facts).toEqual({ agent: "analyst", status: "error" });
  });

  it.each([
    ["trust", { gateway: { ...GATEWAY, minTrustLevel: 6 } }],
    ["a rung", { agent: agentOf({ autonomy: "assistive" as const }) }],
    ["a class", reading({ class: "untrusted" })],
    ["a price", { estimateMicros: null, envelopes: [envelope()] }],
    ["an agent that is not registered", { agent: null }],
  ])("is final where waiting does not help: %s", (_, changes) => {
    expect(blocked(judgeDispatch({ ...factsOf(), ...changes })).block.after).toBe("final");
  });

  it("says what to do in its message too", () => {
    const said = (changes: Partial<DispatchFacts>) =>
      blocked(judgeDispatch({ ...factsOf(), ...changes })).explanation.message;
    expect(said({ gateway: { ...GATEWAY, minTrustLevel: 6 } })).toContain("raise trust_level");
    expect(said({ agent: agentOf({ autonomy: "assistive" }) })).toContain("raise autonomy");
    expect(said({ agent: agentOf({ phase: "sunset" }) })).toContain("change its phase");
    expect(said({ agent: agentOf({ phase: "poc", phaseSince: POC_SINCE }) })).toContain("staging or production");
    expect(said({ estimateMicros: null, envelopes: [envelope(), envelope({ id: "b" })] })).toMatch(
      /under ops, b; .*estimated_cost on assess/u,
    );
    const launch = (changes: Partial<LaunchFacts>) => says(blocked(judgeLaunch({ ...launchOf(), ...changes })));
    expect(launch({ posture: "advisory" })).toContain("vendor is advisory and is never launched");
    expect(launch({ posture: "approval_required" })).toContain("starts only with an approved launch");
    expect(launch({ workflowStatus: "paused" })).toContain("workflow vendor is paused; set its status to active");
    expect(launch({ workflowStatus: "deprecated" })).toContain("is deprecated; start its successor");
  });
});

describe("waiting", () => {
  it("names the time when it is known, and only then", () => {
    const known = blocked(judgeDispatch(factsOf({ rate: RATE })));
    expect(known.block).toMatchObject({ after: "queue", waitingReason: "rate_limit", until: NOW + 1_000 });
    expect(known.explanation.message).toContain(`or wait until ${instantText(NOW + 1_000)}`);
    const unknown = blocked(judgeDispatch(factsOf({ rate: { ...RATE, freesAt: null } })));
    expect(unknown.block).not.toHaveProperty("until");
    expect(unknown.explanation.message).toMatch(/or wait$/u);
    const start = blocked(judgeLaunch(launchOf({ rate: RATE })));
    expect(start.block.until).toBe(NOW + 1_000);
    expect(says(start)).toContain(`try again at ${instantText(NOW + 1_000)}`);
    const later = blocked(judgeLaunch(launchOf({ rate: { ...RATE, freesAt: null } })));
    expect(later.block).not.toHaveProperty("until");
    expect(says(later)).toContain("try again later");
  });

  it("for a slot says who is before it only where there are free ones", () => {
    const said = (openAttempts: number, waitingAhead: number) =>
      blocked(judgeDispatch(factsOf({ openAttempts, waitingAhead }))).explanation.message;
    expect(said(4, 3)).not.toContain("waiting before");
    expect(said(2, 2)).toContain("2 of 4 attempts open and 2 nodes waiting before this one");
    expect(said(2, 2)).toContain("wait for one of them to end");
  });

  it("for the next period is offered where a whole one would be enough, and not where it would not", () => {
    const offered = (ceilingMicros: number, estimateMicros: number, spentMicros = ceilingMicros) =>
      ways(
        blocked(judgeDispatch(factsOf({ estimateMicros, envelopes: [envelope({ ceilingMicros, spentMicros })] }))),
      ).includes("wait Budget/ops");
    expect([99, 100, 101].map((estimate) => offered(100, estimate))).toEqual([true, true, false]);
    expect(offered(0, 0)).toBe(false);
    expect(offered(1, 0)).toBe(true);
    const { explanation } = blocked(judgeDispatch(factsOf({ envelopes: [envelope({ spentMicros: 10_000_000 })] })));
    expect(explanation.unblock[1]?.detail).toBe("the period ends at 2031-05-05T00:00:00Z");
  });
});

describe("a closed platform", () => {
  it.each([
    [null, "the platform is closed; open it again to continue"],
    ["", "the platform is closed; open it again to continue"],
    ["fire", "the platform is closed: fire; open it again to continue"],
  ])("names the reason, if there is one: %j", (reason, message) => {
    expect(blocked(judgeDispatch(factsOf({ platform: { isOpen: false, reason } }))).explanation.message).toBe(message);
  });
});

describe("policies that block", () => {
  it("are all named, the most specific first", () => {
    const policies = ["a", "b", "c"].map((name) => policyOf({ name }));
    const judgement = blocked(judgeDispatch(factsOf({ policies })));
    expect(judgement.explanation.message).toBe("policy a@1 blocks assess; so do b@1, c@1");
    expect(judgement.explanation.facts).toMatchObject({ policy: "a@1", alsoBlocking: ["b@1", "c@1"] });
    expect(judgement.explanation.unblock[0]?.detail).toBe("it applies while true");
  });

  it("of a launch come before those that want an approved one", () => {
    const ask = policyOf({ name: "ask", category: "run_creation", action: "require_approval", scope: "workflow" });
    const block = policyOf({ name: "no", category: "run_creation" });
    const both = blocked(judgeLaunch(launchOf({ policies: [ask, block] })));
    expect(both.explanation.message).toBe("policy no@1 blocks the start of vendor; so does ask@1");
    expect(ways(both)).toEqual(["approve_launch Policy/ask", "change_policy Policy/no"]);
    const held = blocked(judgeLaunch(launchOf({ policies: [ask] })));
    expect(held.explanation.message).toBe("policy ask@1 lets it start only with an approved launch");
    expect(judgeLaunch(launchOf({ policies: [ask], hasApprovedLaunch: true }))).toMatchObject({
      disposition: "allow",
      matched: [{ name: "ask", isSatisfied: true }],
    });
    expect(blocked(judgeLaunch(launchOf({ policies: [ask, block], hasApprovedLaunch: true })))).toMatchObject({
      explanation: { facts: { policy: "no@1", alsoBlocking: [] } },
    });
  });

  it("are no concern of a launch when they only warn", () => {
    const warn = policyOf({ name: "mind", category: "run_creation", action: "warn" });
    expect(judgeLaunch(launchOf({ policies: [warn] }))).toMatchObject({
      disposition: "allow",
      warnings: ["policy mind@1 warns"],
    });
  });
});

describe("a hold is explained", () => {
  const held = (changes: Parameters<typeof factsOf>[0]) => {
    const judgement = judgeDispatch(factsOf(changes));
    if (judgement.disposition !== "hold") throw new Error(`expected a hold, but it is ${judgement.disposition}`);
    return judgement;
  };

  it("by the policies, the action, the rung and the amounts", () => {
    const policies = [policyOf({ name: "ask", version: 3, action: "require_approval", reason: "mail" })];
    const { hold } = held({ policies, agent: { financialThresholdMicros: 5 } });
    expect(hold.facts).toMatchObject({
      wanted: ["ask@3"],
      node: "assess",
      action: "execute",
      agent: "analyst",
      autonomy: "supervised",
      policies: [{ name: "ask", version: 3, scope: "global", reason: "mail", error: null }],
      estimateMicros: 250_000,
      thresholdMicros: 5,
    });
  });

  it("with every reason, and who answers in turn", () => {
    const approvers = {
      ...ANYONE,
      approvers: [
        { who: "role:a", withinMs: 1 },
        { who: "role:b", withinMs: null },
      ],
      expiresMs: 5,
    };
    const policies = [policyOf({ name: "ask", action: "require_approval", approvers })];
    const { hold, explanation } = held({ policies, node: { action: "write" } });
    expect(hold.message).toBe("assess needs an approval: policy ask@1; analyst is supervised and its action is write");
    expect(hold.rule).toEqual(approvers);
    expect(explanation.unblock[0]?.detail).toBe("role:a, then role:b answers");
  });

  it("asks a second person only above the threshold", () => {
    const spending = (changes: Parameters<typeof factsOf>[0]) =>
      judgeDispatch(factsOf({ node: { action: "financial" }, estimateMicros: 101, ...changes }));
    const bounded = { autonomy: "bounded", financialThresholdMicros: 100 } as const;
    const judgement = held({ node: { action: "financial" }, estimateMicros: 101, agent: bounded });
    expect(judgement.hold.message).toContain("would spend $0.000101, and above $0.0001 another agent");
    expect(spending({ agent: bounded, node: { action: "write" } }).disposition).toBe("allow");
    const supervised = spending({ agent: { ...bounded, autonomy: "supervised" } });
    expect(supervised).toMatchObject({ disposition: "hold", hold: { wanted: ["rung"], rule: { isSeparate: false } } });
  });

  it("says what was granted where nothing is missing", () => {
    const policies = ["a", "b"].map((name) => policyOf({ name, action: "require_approval" }));
    const granted = judgeDispatch(factsOf({ policies, node: { action: "write" }, grants: ["a@1", "b@1", "rung"] }));
    expect(granted.trail.at(-1)).toEqual({
      gate: "approval_required",
      outcome: "pass",
      detail: "granted: a@1, b@1, rung",
    });
    const none = judgeDispatch(factsOf({ policies: [policyOf({ action: "warn" })] }));
    expect(none.trail.at(-1)).toEqual({ gate: "approval_required", outcome: "pass" });
  });
});

describe("the trail", () => {
  it("says what each gate said, and nothing where it said nothing", () => {
    const { trail } = judgeDispatch(
      factsOf({ gateway: { ...GATEWAY, status: "degraded" }, policies: [policyOf({ action: "log", name: "note" })] }),
    );
    expect(trail[0]).toEqual({
      gate: "gateway_health",
      outcome: "warn",
      detail: "gateway local is degraded; answers may be late",
    });
    expect(trail[1]).toEqual({ gate: "agent_status", outcome: "pass" });
    expect(trail[9]).toEqual({ gate: "policy_rules", outcome: "pass", detail: "matched: note@1 (hard log)" });
    expect(judgeDispatch(factsOf()).trail.every(({ outcome }) => outcome === "pass")).toBe(true);
    expect(Object.keys(judgeDispatch(factsOf()).trail[0] ?? {})).toEqual(["gate", "outcome"]);
  });

  it("joins what is said twice", () => {
    const policies = [policyOf({ name: "a", action: "warn" }), policyOf({ name: "b", action: "warn" })];
    expect(judgeDispatch(factsOf({ policies })).trail[9]?.detail).toBe(
      "policy a@1 warns; policy b@1 warns; matched: a@1 (hard warn), b@1 (hard warn)",
    );
  });
});
