import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLAIN_MEMBER } from "../../../../test/conformance/plain.ts";
import { assignNode, type NodeNeeds, toolBansOf } from "./assign.ts";
import { resolvePolicies } from "./policies.ts";
import { type Member, SUPPORT_LEVELS, type Team } from "./team.ts";

const member = (agent: string, fields: Partial<Member> = {}): Member => ({ ...PLAIN_MEMBER, agent, ...fields });
const team = (...members: readonly Member[]): Team => ({ name: "crew", members, assignments: [] });
const needs = (fields: Partial<NodeNeeds> = {}): NodeNeeds => ({
  requiredTools: [],
  requiredTier: null,
  roleTag: null,
  ...fields,
});
const agentOf = (result: ReturnType<typeof assignNode>): string | undefined => result.assigned?.member.agent;

describe("assignNode", () => {
  it("takes the first by lane, then sort order, then place in the list", () => {
    const members = [
      member("late", { lane: 1 }),
      member("second", { sortOrder: 2 }),
      member("first", { sortOrder: 1 }),
      member("twin", { sortOrder: 1 }),
    ];
    const result = assignNode(team(...members), needs());
    expect(agentOf(result)).toBe("first");
    expect(result.considered.map(({ agent }) => agent)).toEqual(["first", "twin", "second", "late"]);
  });

  it("prefers the node's role over lane and order, and takes another when no member has it", () => {
    const members = [member("any"), member("reviewer", { role: "review", lane: 3 })];
    expect(agentOf(assignNode(team(...members), needs({ roleTag: "review" })))).toBe("reviewer");
    expect(agentOf(assignNode(team(...members), needs({ roleTag: "write" })))).toBe("any");
    expect(agentOf(assignNode(team(...members), needs()))).toBe("any");
  });

  it("never takes an inactive member", () => {
    const result = assignNode(team(member("away", { isActive: false })), needs());
    expect(result.assigned).toBeNull();
    expect(result.considered).toEqual([{ agent: "away", isEligible: false, reasons: ["is not active"] }]);
  });

  it("wants every required tool covered", () => {
    const has = (...allowTools: string[]): Partial<Member> => ({
      toolProfile: { allowTools, requiresApproval: false },
    });
    const wanted = needs({ requiredTools: ["search", "mail"] });
    expect(
      agentOf(assignNode(team(member("half", has("search")), member("both", has("mail", "search"))), wanted)),
    ).toBe("both");
    const none = assignNode(team(member("half", has("search"))), wanted);
    expect(none.assigned).toBeNull();
    expect(none.considered[0]?.reasons).toEqual(["may not use tool mail"]);
  });

  it("lets a marked tool pass, and asks for approval", () => {
    const marked = (requiresApproval: boolean | string[]): Member =>
      member("m", { toolProfile: { allowTools: ["search"], requiresApproval } });
    const wanted = needs({ requiredTools: ["search", "mail"] });
    expect(assignNode(team(marked(true)), wanted).assigned).toMatchObject({
      needsApproval: true,
      toolsToApprove: ["mail"],
    });
    expect(assignNode(team(marked(["mail"])), wanted).assigned).toMatchObject({ toolsToApprove: ["mail"] });
    expect(assignNode(team(marked(["other"])), wanted).assigned).toBeNull();
    expect(assignNode(team(marked(["search", "mail"])), wanted).assigned?.toolsToApprove).toEqual(["search", "mail"]);
    expect(assignNode(team(marked(true)), needs({ requiredTools: ["search"] })).assigned?.needsApproval).toBe(false);
  });

  it("wants the required tier reached", () => {
    for (const [have, haveLevel] of SUPPORT_LEVELS.map((level, index) => [level, index] as const)) {
      SUPPORT_LEVELS.forEach((requiredTier, wantLevel) => {
        const result = assignNode(team(member("m", { modelProfile: { supportLevel: have } })), needs({ requiredTier }));
        expect(result.assigned !== null, `${have} for ${requiredTier}`).toBe(haveLevel >= wantLevel);
      });
    }
  });

  it("says why", () => {
    const taken = member("m", { role: "review", toolProfile: { allowTools: ["search"], requiresApproval: ["mail"] } });
    const wanted = needs({ requiredTools: ["search", "mail"], requiredTier: "basic", roleTag: "review" });
    expect(assignNode(team(taken), wanted).assigned?.reasons).toEqual([
      "role review is the node's role",
      "may use search",
      "may use mail once a person agrees",
      "support level standard reaches basic",
      "lane 0, sort order 0",
    ]);
  });

  it("assigns a member exactly when one is eligible, and always the first such", () => {
    const anyMember = fc.record({
      agent: fc.constantFrom("x", "y", "z"),
      role: fc.constantFrom("r", null),
      lane: fc.integer({ min: 0, max: 2 }),
      sortOrder: fc.integer({ min: 0, max: 2 }),
      isActive: fc.boolean(),
      toolProfile: fc.record({ allowTools: fc.subarray(["t", "u"]), requiresApproval: fc.boolean() }),
      modelProfile: fc.record({ supportLevel: fc.constantFrom(...SUPPORT_LEVELS) }),
      systemPromptPatch: fc.constant(null),
    });
    const anyNeeds = fc.record({
      requiredTools: fc.subarray(["t", "u"]),
      requiredTier: fc.constantFrom(...SUPPORT_LEVELS, null),
      roleTag: fc.constantFrom("r", null),
    });
    fc.assert(
      fc.property(fc.array(anyMember, { maxLength: 6 }), anyNeeds, (members, wanted) => {
        const { assigned, considered } = assignNode(team(...members), wanted);
        expect(considered).toHaveLength(members.length);
        expect(assigned?.member.agent).toBe(considered.find(({ isEligible }) => isEligible)?.agent);
      }),
      { numRuns: 300 },
    );
  });
});

describe("toolBansOf", () => {
  const has = (...allowTools: string[]): Partial<Member> => ({
    toolProfile: { allowTools, requiresApproval: ["mail"] },
  });

  it("says what each member may not use, and what no agent from outside may bring in", () => {
    const members = [member("ann", has("search")), member("ben", has("deploy")), member("ben", has("search"))];
    expect(toolBansOf(team(...members), needs({ requiredTools: ["search", "deploy", "mail", "shell"] }))).toEqual({
      byAgent: { ann: ["deploy", "shell"], ben: ["shell"] },
      others: ["shell"],
    });
  });

  it("bans nothing where nothing is needed, and everything in a team without members", () => {
    expect(toolBansOf(team(member("ann")), needs())).toEqual({ byAgent: { ann: [] }, others: [] });
    expect(toolBansOf(team(), needs({ requiredTools: ["shell"] }))).toEqual({ byAgent: {}, others: ["shell"] });
  });
});

describe("resolvePolicies", () => {
  const retry = { attempts: 2, backoffMs: 1, maxBackoffMs: 1, retryOn: [] };
  const crew: Team = {
    ...team(),
    queuePolicy: "serial",
    failurePolicy: "halt",
    assignments: [{ workflow: "news", failurePolicy: "fallback" }],
  };

  it("asks the step, the assignment, the team, then the default", () => {
    expect(resolvePolicies(crew, "news", { retryPolicy: retry })).toEqual({
      queuePolicy: { value: "serial", from: "team" },
      failurePolicy: { value: "fallback", from: "assignment" },
      approvalPolicy: { value: null, from: "default" },
      retryPolicy: { value: retry, from: "step" },
    });
  });

  it("lets an explicit field of the step win over everything", () => {
    expect(resolvePolicies(crew, "news", { failurePolicy: "isolate" }).failurePolicy).toEqual({
      value: "isolate",
      from: "step",
    });
  });

  it("does not apply another workflow's assignment", () => {
    expect(resolvePolicies(crew, "sport", {}).failurePolicy).toEqual({ value: "halt", from: "team" });
    expect(resolvePolicies(team(), "sport", {})).toMatchObject({
      queuePolicy: { value: "parallel", from: "default" },
      failurePolicy: { value: "isolate", from: "default" },
    });
  });
});
