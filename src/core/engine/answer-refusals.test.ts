import { describe, expect, it } from "vitest";
import { HOLD, type Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import type { JsonObject } from "../base/index.ts";
import type { Refusal, Verdict } from "./index.ts";

const change = (rig: Rig, nodeId: string, modifications: JsonObject): Refusal | undefined =>
  rig.answer(nodeId, "approve", { modifications }).refusal;
const lens = (config: JsonObject): string =>
  JSON.stringify({
    format: "lens-graph/v1",
    name: "g",
    root_inputs: { topic: { default: "tides" }, who: { default: "all" } },
    nodes: [{ id: "a", config: { template_body: "say [[topic]] to [[who]]", ...config } }],
    edges: [],
  });
const LOOK_FIRST: Verdict = { ...HOLD, gate: "policy_rules", message: "look first", agentId: "default" };

describe("a change that is refused", () => {
  const step = (): Rig =>
    runOf(
      workflow(
        ["a {approval: required, command: 'send ${who} ${n}', outputs: {sent: boolean}}"],
        "args: {who: ann, n: {type: integer, default: 1}}",
      ),
    );

  it.each([
    [{ inputs: "all" }, "inputs must be an object", ["inputs"]],
    [{ outputs: [1] }, "outputs must be an object", ["outputs"]],
    [
      { message: "x", stdin: "y" },
      "message cannot be changed; inputs and outputs can; stdin cannot be changed; inputs and outputs can",
      ["message", "stdin"],
    ],
    [{ inputs: { whom: "bob" } }, "inputs.whom is nothing that a reads; it reads who, n", ["inputs.whom"]],
    [{ inputs: { n: "many" } }, expect.stringMatching(/^inputs\.n /u), ["inputs.n"]],
    [{ outputs: { sent: "perhaps" } }, expect.stringMatching(/^outputs\.sent /u), ["outputs.sent"]],
    [{ outputs: {} }, expect.stringMatching(/^outputs\.sent /u), ["outputs.sent"]],
  ])("names each value of %j, and leaves everything as it is", (modifications, message, fields) => {
    const rig = step();
    const before = rig.events.length;
    const refusal = change(rig, "a", modifications);
    expect(refusal).toMatchObject({ code: "modifications_invalid", message });
    expect(refusal?.errors?.map(({ field }) => field)).toEqual(fields);
    expect(rig.events.length).toBe(before);
    expect(rig.status("a")).toBe("blocked");
  });

  it("of a step that reads nothing says so, and a gate sends nothing that could be changed", () => {
    const rig = runOf(workflow(["a {approval: required, command: go}", "g {approval: required}"]));
    expect(change(rig, "a", { inputs: { x: 1 } })?.message).toBe("inputs.x is nothing that a reads; it reads nothing");
    expect(change(rig, "g", { inputs: { x: 1 } })).toEqual({
      code: "modifications_invalid",
      message: "g is a gate and sends nothing that could be changed",
    });
    expect(rig.answer("g", "approve", { form: { x: 1 } }).refusal).toEqual({
      code: "form_invalid",
      message: "the approval has no form to fill in",
    });
  });

  it("of a form names every field", () => {
    const rig = runOf(workflow(["g {approval: required, form: {day: {type: date}, n: {type: integer}}}"]));
    const { refusal } = rig.answer("g", "approve", { form: { day: "soon", n: "x" } });
    expect(refusal).toMatchObject({
      code: "form_invalid",
      message: expect.stringMatching(/^the form is not filled in: day .+; n .+$/u),
    });
    expect(refusal?.errors?.map(({ field }) => field)).toEqual(["day", "n"]);
  });

  it("of the outputs of many is about its parts", () => {
    const many = runOf(workflow(["a {approval: required, command: 'go ${item}', for_each: xs}"], "args: {xs: [1, 2]}"));
    expect(change(many, "a", { outputs: { x: 1 } })?.message).toBe("the outputs of a are those of its elements");
    const rounds = runOf(workflow(["a {approval: required, command: go, repeat: {until: 'true', max: 3}}"]));
    expect(change(rounds, "a", { outputs: { x: 1 } })?.message).toBe("the outputs of a are those of its rounds");
    expect(change(many, "a", { inputs: { xs: 7 } })?.message).toBe("inputs.xs must be a list");
    expect(change(many, "a", { inputs: { xs: [5] } })).toBeUndefined();
    expect(many.dispatch("a[0]").request.message).toBe("go 5");
  });

  it("of a lens compares labels as its template does", () => {
    const held = (): Rig => runOf(lens({}), { judge: () => LOOK_FIRST });
    expect(change(held(), "a", { inputs: { colour: "red" } })).toMatchObject({
      code: "modifications_invalid",
      message: "inputs.colour is nothing that a reads",
    });
    let isHeld = true;
    const rig = runOf(lens({}), { judge: () => (isHeld ? LOOK_FIRST : undefined) });
    isHeld = false;
    expect(change(rig, "a", { inputs: { Topic: "waves", WHO: "ann" } })).toBeUndefined();
    expect(rig.dispatch("a").request.message).toBe("say waves to ann");
  });

  it("of a child run or a block is bound like what they are given", () => {
    const rig = runOf(workflow(["a {approval: required, steps: [{id: x, command: 'go ${who}'}]}"], "args: {who: ann}"));
    expect(change(rig, "a", { inputs: { whom: 1 } })?.code).toBe("modifications_invalid");
    expect(change(rig, "a", { inputs: { who: "bob" } })).toBeUndefined();
    expect(rig.effects.find(({ type }) => type === "start-child")).toMatchObject({ args: { who: "bob" } });
  });
});

describe("an answer that comes too late", () => {
  it("is refused once the run has ended, whatever it says", () => {
    const rig = runOf(workflow(["a {approval: required, command: go}"]));
    const approvalId = rig.approvalId("a");
    rig.submit({ type: "cancel", reason: "enough" });
    expect(rig.submit({ type: "approval", approvalId, decision: "approve", by: "ann" }).refusal).toEqual({
      code: "approval_closed",
      message: "the approval is already cancelled",
    });
    // A run that hit a bug has ended with its questions open.
    const struck = runOf(workflow(["a {approval: required, command: go}"]));
    struck.state.status = "failed";
    expect(struck.answer("a", "approve").refusal).toEqual({
      code: "approval_closed",
      message: "the run is already failed",
    });
    expect(struck.submit({ type: "resolve", nodeId: "a", by: "ann", values: {} }).refusal?.code).toBe("not_blocked");
  });

  it("says what it lacks, word for word", () => {
    const rig = runOf(workflow(["a {approval: required, command: go, separate_approver: true}"]));
    const refusal = (more: object): string | undefined => rig.answer("a", "approve", more).refusal?.message;
    expect(refusal({ byStarter: true })).toBe("someone other than who started the run has to answer");
    expect(refusal({ isUnowned: true })).toBe(
      "a second person has to answer, and it is not known who is behind this key",
    );
    expect(refusal({ digest: "sha256:x" })).toBe("what was shown is not what would be done; look again");
    expect(rig.answer("a", "reject", { reason: " " }).refusal?.message).toBe("a rejection needs a reason");
    expect(rig.answer("a", "approve", { isOverride: true, as: [] }).refusal?.message).toBe(
      "answering for those who are asked needs a reason",
    );
    expect(rig.answer("a", "retry").refusal?.message).toBe("retry is not among approve, reject");
    const own = runOf(workflow(["a {approval: required, command: go, agent: bot}"]));
    expect(own.answer("a", "approve", { byAgentId: "bot" }).refusal?.message).toBe(
      "an agent cannot answer for its own node",
    );
    expect(own.answer("a", "approve", { byAgentId: "other" }).refusal).toBeUndefined();
  });
});

describe("what follows without an answer", () => {
  it("is said in the failure, and in what people are notified of", () => {
    const rig = runOf(workflow(["a {approval: required, command: go, expires: 2h}"]));
    rig.fire("approval-reminder");
    expect(rig.effects.filter((effect) => effect.type === "notify" && effect.kind === "reminder")).toMatchObject([
      { message: "a still waits for an answer", nodeId: "a" },
    ]);
    rig.fire("approval-expiry");
    expect(rig.of("approval.resolved")[0]).toMatchObject({ status: "expired", reason: "no answer in time" });
    expect(rig.of("node.failed")[0]).toMatchObject({
      errorCode: "approval_expired",
      errorMessage: "no answer for a in time",
    });
    const rejected = runOf(workflow(["a {approval: required, command: go}"]));
    rejected.answer("a", "reject", { reason: "not now" });
    expect(rejected.of("node.failed")[0]?.errorMessage).toBe("a was rejected by user:ann: not now");
  });

  it("takes what people have changed so far, and only a yes does", () => {
    const source = (otherwise: string): string =>
      workflow(
        [
          `a {approval: required, command: 'send \${who}', quorum: 2, approvers: [{who: 'role:x', within: 1h}], otherwise: ${otherwise}}`,
        ],
        "args: {who: ann}",
      );
    const approved = runOf(source("approve"));
    approved.answer("a", "approve", { modifications: { inputs: { who: "bob" } } });
    expect(approved.of("approval.revised")[0]).toMatchObject({ modifications: { inputs: { who: "bob" } } });
    expect(approved.effects.filter((effect) => effect.type === "notify").at(-1)).toMatchObject({
      kind: "approval",
      message: "user:ann has changed what is asked about a",
    });
    approved.fire("approval-hop");
    expect(approved.dispatch("a").request.message).toBe("send bob");
    const refused = runOf(source("reject"));
    refused.answer("a", "approve", { modifications: { inputs: { who: "bob" } } });
    refused.fire("approval-hop");
    expect(refused.of("approval.resolved")[0]).not.toHaveProperty("modifications");
  });
});
