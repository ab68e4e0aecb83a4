import { describe, expect, it } from "vitest";
import { HOLD, type Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import type { RequestVerdict, Verdict } from "./index.ts";

const person = (name: string, more: object = {}): object => ({
  by: name,
  byId: `key_${name}`,
  personId: `per_${name}`,
  as: [`user:${name}`, `key:key_${name}`],
  ...more,
});
const yes = (rig: Rig, nodeId: string, name: string, more: object = {}): string | undefined =>
  rig.answer(nodeId, "approve", person(name, more)).refusal?.code;
const no = (rig: Rig, nodeId: string, name: string): string | undefined =>
  rig.answer(nodeId, "reject", person(name)).refusal?.code;
const answersOf = (rig: Rig, nodeId: string): readonly string[] =>
  rig.state.approvals.get(rig.approvalId(nodeId))?.answers.map(({ by }) => by) ?? [];

/** A state is the fold of its log; how far its queue was read is no fact. */
function expectFolded(rig: Rig): void {
  const { ready: _queue, computing: _computing, ...facts } = rig.state;
  expect(rig.replayed()).toMatchObject(facts);
}

describe("approvers", () => {
  const gate = (more: string): Rig => runOf(workflow([`g {approval: required, ${more}}`]));

  it("are those who may answer, and a refusal names them", () => {
    const rig = gate("approvers: ['user:ann', 'role:finance']");
    const { refusal } = rig.answer("g", "approve", person("bob"));
    expect(refusal).toEqual({
      code: "not_an_approver",
      message: "it asks user:ann, role:finance, and you are not among them",
    });
    expect(rig.status("g")).toBe("blocked");
    expect(no(rig, "g", "bob")).toBe("not_an_approver");
    expect(yes(rig, "g", "ann")).toBeUndefined();
    expect(rig.status("g")).toBe("completed");
  });

  it("are asked one after the other, and all who were asked so far may answer", () => {
    const chain = "approvers: [{who: 'user:ann', within: 1h}, {who: 'role:finance', within: 1h}, 'user:eve']";
    const rig = gate(chain);
    expect(yes(rig, "g", "bob", { as: ["role:finance", "team:finance"] })).toBe("not_an_approver");
    rig.fire("approval-hop");
    expect(yes(rig, "g", "eve")).toBe("not_an_approver");
    expect(yes(rig, "g", "ann")).toBeUndefined();
    const later = gate(chain).fire("approval-hop");
    expect(yes(later, "g", "bob", { as: ["role:finance", "team:finance"] })).toBeUndefined();
  });

  it("without a time of their own are asked together with the next", () => {
    const both = "approvers: ['user:ann', 'user:bob'], quorum: 2";
    const rig = gate(both);
    expect(rig.of("approval.requested")[0]).toMatchObject({ hop: 1 });
    expect([yes(rig, "g", "bob"), yes(rig, "g", "ann")]).toEqual([undefined, undefined]);
    expect(rig.status("g")).toBe("completed");
    const later = gate("approvers: ['user:ann', {who: 'user:bob', within: 1h}, 'user:eve', 'user:zoe']");
    expect(yes(later, "g", "eve")).toBe("not_an_approver");
    later.fire("approval-hop");
    expect(later.of("approval.escalated").map(({ hop, who }) => [hop, who])).toEqual([
      [2, "user:eve"],
      [3, "user:zoe"],
    ]);
    expect(yes(later, "g", "zoe")).toBeUndefined();
    expectFolded(later);
  });

  it("are not checked for an owner in process, and none named means any person", () => {
    const rig = gate("approvers: ['user:ann']");
    expect(rig.answer("g", "approve").refusal).toBeUndefined();
    expect(yes(gate("expires: 1d"), "g", "bob")).toBeUndefined();
  });

  it("are compared as they are written, and addresses of mail in any case", () => {
    const rig = gate("approvers: ['user:Ann@Example.com', 'key:CI bot']");
    expect(yes(rig, "g", "x", { as: ["user:ann@example.COM"] })).toBeUndefined();
    expect(yes(gate("approvers: ['role:Finance']"), "g", "x", { as: ["role:finance"] })).toBe("not_an_approver");
    expect(yes(gate("approvers: ['key:CI bot']"), "g", "x", { as: ["key:key_1", "key:CI bot"] })).toBeUndefined();
  });

  it("are overridden with a reason only, and the log says so; a person who is asked overrides no one", () => {
    const rig = gate("approvers: ['user:ann']");
    expect(yes(rig, "g", "root", { isOverride: true, reason: "  " })).toBe("reason_required");
    expect(yes(rig, "g", "root", { isOverride: true, reason: "ann is away" })).toBeUndefined();
    expect(rig.of("approval.resolved")[0]).toMatchObject({ by: "root", isOverride: true, reason: "ann is away" });
    const own = gate("approvers: ['user:ann']");
    expect(yes(own, "g", "ann", { isOverride: true, reason: "me" })).toBeUndefined();
    expect(own.of("approval.resolved")[0]).not.toHaveProperty("isOverride");
  });

  it("do not change who is a second person", () => {
    const rig = gate("approvers: ['user:ann'], separate_approver: true");
    const override = { isOverride: true, reason: "now" };
    expect(yes(rig, "g", "ann", { byStarter: true, ...override })).toBe("self_approval");
    expect(yes(rig, "g", "ann", { isUnowned: true })).toBe("self_approval");
    expect(yes(rig, "g", "ann")).toBeUndefined();
    expect(yes(gate("expires: 1d"), "g", "x", { isUnowned: true })).toBeUndefined();
  });
});

describe("a quorum", () => {
  const gate = (quorum: number, more = ""): Rig =>
    runOf(workflow([`g {approval: required, quorum: ${quorum}${more}}`, "after < g"]));

  it("is recorded where it is more than one, and what they are asked about is kept for them", () => {
    const asked = (rig: Rig) => rig.state.approvals.get(rig.approvalId("g"));
    const one = gate(1, ", expires: 1h");
    expect(one.of("approval.requested")[0]).not.toHaveProperty("quorum");
    expect(asked(one)).toMatchObject({ subject: null, rule: { quorum: 1, expiresMs: 3_600_000 } });
    const two = gate(2);
    expect(two.of("approval.requested")[0]).toMatchObject({ quorum: 2 });
    expect(asked(two)?.subject).toEqual(two.of("approval.requested")[0]?.subject);
    expectFolded(two);
  });

  it("sees another list that one of them has given", () => {
    const each = "for_each: xs, approval: required, quorum: 2, command: '${item}'";
    const rig = runOf(workflow([`g {${each}}`], "args: {xs: [1, 2]}"));
    expect(yes(rig, "g", "ann", { modifications: { inputs: { xs: [7] } } })).toBeUndefined();
    expect(rig.of("approval.revised")[0]?.subject.shown).toEqual([
      { label: "g[0]", kind: "text", value: "7" },
      { label: "xs", kind: "value", value: [7] },
    ]);
    yes(rig, "g", "bob");
    // The list is not an input of its elements.
    expect(rig.dispatches.map(({ request: { message, inputs } }) => [message, inputs])).toEqual([["7", {}]]);
  });

  it.each([{}, { inputs: {} }])(
    "approves what is shown with modifications that change nothing: %j",
    (modifications) => {
      const rig = gate(2);
      yes(rig, "g", "ann", { modifications });
      yes(rig, "g", "bob", { modifications });
      expect([rig.status("g"), rig.of("approval.revised")]).toEqual(["completed", []]);
    },
  );

  it("needs so many different people", () => {
    const rig = gate(3);
    expect([yes(rig, "g", "ann"), yes(rig, "g", "ann"), yes(rig, "g", "bob")]).toEqual([
      undefined,
      "already_answered",
      undefined,
    ]);
    expect([rig.status("g"), answersOf(rig, "g")]).toEqual(["blocked", ["ann", "bob"]]);
    expect(rig.of("approval.answered")).toMatchObject([
      { by: "ann", personId: "per_ann", decision: "approve", answers: 1, quorum: 3 },
      { by: "bob", answers: 2, quorum: 3 },
    ]);
    expect(yes(rig, "g", "eve")).toBeUndefined();
    expect([rig.status("g"), rig.status("after"), answersOf(rig, "g")]).toEqual([
      "completed",
      "running",
      ["ann", "bob", "eve"],
    ]);
  });

  it("counts people, not their keys, and keys where no person is known", () => {
    const rig = gate(2);
    yes(rig, "g", "ann");
    expect(yes(rig, "g", "other", { personId: "per_ann" })).toBe("already_answered");
    expect(yes(rig, "g", "ann", { personId: "per_2" })).toBeUndefined();
    const keys = gate(2);
    const unknown = { personId: undefined };
    yes(keys, "g", "ann", unknown);
    expect(yes(keys, "g", "ann", { ...unknown, by: "another name" })).toBe("already_answered");
    expect(yes(keys, "g", "bob", unknown)).toBeUndefined();
    const names = gate(2);
    names.answer("g", "approve", { by: "cli" });
    expect(names.answer("g", "approve", { by: "cli" }).refusal?.code).toBe("already_answered");
    expect(names.answer("g", "approve", { by: "cli 2" }).refusal).toBeUndefined();
  });

  it("counts an earlier answer as one of the same person unless it is known to be of another", () => {
    const rig = gate(3);
    yes(rig, "g", "ann");
    const [ann = ""] = rig.of("approval.answered").map(({ byId }) => byId);
    yes(rig, "g", "bob", { otherIds: [ann] });
    expect(answersOf(rig, "g")).toEqual(["ann", "bob"]);
    expect(yes(rig, "g", "eve", { otherIds: [] })).toBe("already_answered");
    expect(yes(rig, "g", "eve", { otherIds: [ann] })).toBe("already_answered");
    const bob = rig.of("approval.answered")[1]?.byId ?? "";
    expect(yes(rig, "g", "eve", { otherIds: [bob, ann] })).toBeUndefined();
    const names = gate(2);
    names.answer("g", "approve", { by: "cli" });
    expect(names.answer("g", "approve", { by: "cli 2", otherIds: [] }).refusal).toBeUndefined();
  });

  it("ends with the first no, also of a person who has not approved", () => {
    const rig = gate(2);
    yes(rig, "g", "ann");
    expect(no(rig, "g", "ann")).toBe("already_answered");
    expect(no(rig, "g", "bob")).toBeUndefined();
    expect(rig.error("g")).toBe("approval_rejected");
    expect(yes(rig, "g", "eve")).toBe("approval_closed");
  });

  it("is two with four_eyes, and neither is who started the run", () => {
    const rig = runOf(workflow(["g {approval: required, four_eyes: true}"]));
    expect(yes(rig, "g", "ann", { byStarter: true })).toBe("self_approval");
    yes(rig, "g", "bob");
    expect(rig.status("g")).toBe("blocked");
    expect(yes(rig, "g", "eve")).toBeUndefined();
    expect(rig.status("g")).toBe("completed");
  });

  it("does not keep a chain from deciding without an answer, which is no person's", () => {
    const rig = gate(2, ", otherwise: approve");
    yes(rig, "g", "ann");
    rig.fire("approval-expiry");
    expect([rig.status("g"), answersOf(rig, "g")]).toEqual(["completed", ["ann"]]);
  });

  it("of a failed step counts those who want it tried again; one is enough to skip it", () => {
    const failed = (): Rig =>
      runOf(workflow(["a {on_failure: retry_once_then_escalate, quorum: 2}"])).fail("a", "provider_auth");
    const rig = failed();
    yes(rig, "a", "ann");
    expect(rig.status("a")).toBe("blocked");
    expect(rig.answer("a", "retry", person("bob")).refusal).toBeUndefined();
    expect(rig.status("a")).toBe("running");
    const skipped = failed();
    skipped.answer("a", "skip", person("ann"));
    expect(skipped.status("a")).toBe("skipped");
    const other = failed();
    yes(other, "a", "ann");
    yes(other, "a", "bob", { modifications: { outputs: { by: "hand" } } });
    expect([other.status("a"), answersOf(other, "a")]).toEqual(["blocked", ["bob"]]);
    yes(other, "a", "ann");
    expect(other.outputs("a")).toEqual({ by: "hand" });
  });

  it("folds from its log to the same", () => {
    const rig = gate(3);
    yes(rig, "g", "ann");
    yes(rig, "g", "bob");
    expectFolded(rig);
  });
});

const FORM = "form: {amount: {type: number, min: 1, max: 9, label: Amount}, note: {type: string, required: false}}";

describe("a form", () => {
  const gate = (more = ""): Rig =>
    runOf(workflow([`g {approval: required, ${FORM}${more}}`, "pay < g {command: 'pay ${g.amount}'}"]));

  it("becomes the outputs of the gate, beside the answer", () => {
    const rig = gate();
    expect(yes(rig, "g", "ann", { form: { amount: 5 } })).toBeUndefined();
    expect(rig.outputs("g")).toEqual({ approved: true, amount: 5 });
    expect(rig.dispatch("pay").request.message).toBe("pay 5");
    expect(rig.of("approval.resolved")[0]).toMatchObject({ form: { amount: 5 } });
    expectFolded(rig);
  });

  it("is refused field by field, and nothing changes", () => {
    const rig = gate();
    const { refusal } = rig.answer("g", "approve", { form: { amount: 10, note: 3, extra: true } });
    expect(refusal?.code).toBe("form_invalid");
    expect(refusal?.errors).toEqual([
      { field: "extra", message: "is not a field of the form, which has amount, note" },
      { field: "amount", message: "10 is above the maximum 9" },
      { field: "note", message: "must be string, got number 3" },
    ]);
    expect(rig.answer("g", "approve").refusal?.errors).toEqual([{ field: "amount", message: "is missing" }]);
    expect(rig.status("g")).toBe("blocked");
    const plain = runOf(workflow(["g {approval: required}"]));
    expect(plain.answer("g", "approve", { form: { a: 1 } }).refusal?.code).toBe("form_invalid");
  });

  it("takes its defaults for what is left out, and knows the days there are", () => {
    const fields = "form: {on: date, kind: {enum: [a, b], default: b}, ok: {type: boolean, default: false}}";
    const dated = (): Rig => runOf(workflow([`g {approval: required, ${fields}}`]));
    const entered = (on: string): unknown => {
      const rig = dated();
      const { refusal } = rig.answer("g", "approve", { form: { on } });
      return refusal?.errors?.[0]?.message ?? rig.outputs("g");
    };
    expect(entered("2024-02-29")).toEqual({ approved: true, on: "2024-02-29", kind: "b", ok: false });
    expect(entered("2023-02-29")).toBe('"2023-02-29" is no day of the calendar');
    expect(entered("tomorrow")).toContain("does not match");
  });

  it("has its defaults where no person answers", () => {
    const fields = "form: {n: {type: integer, default: 4}}";
    const rig = runOf(workflow([`g {approval: required, otherwise: approve, ${fields}}`])).fire("approval-expiry");
    expect(rig.outputs("g")).toEqual({ approved: true, n: 4 });
  });

  it("and other inputs are recorded as they were given, each only where it was", () => {
    const quorum = "quorum: 2, command: 'pay ${n}'";
    const revised = (more: string, given: object) => {
      const rig = runOf(workflow([`g {approval: required, ${more}}`], "args: {n: 1}"));
      expect(yes(rig, "g", "ann", given)).toBeUndefined();
      return rig.of("approval.revised")[0];
    };
    const changed = revised(quorum, { modifications: { inputs: { n: 2 } } });
    expect(changed).toMatchObject({ modifications: { inputs: { n: 2 } } });
    expect(changed).not.toHaveProperty("form");
    const filled = revised(`quorum: 2, ${FORM}`, { form: { amount: 5 } });
    expect(filled).toMatchObject({ form: { amount: 5 } });
    expect(filled).not.toHaveProperty("modifications");
  });

  it("is not needed to reject", () => {
    const rig = gate(", on_failure: skip");
    no(rig, "g", "ann");
    expect(rig.outputs("g")).toEqual({ approved: false });
  });

  it("that one person fills in is approved by the others, and voids what was approved before", () => {
    const rig = gate(", quorum: 2");
    const before = rig.state.approvals.get(rig.approvalId("g"))?.subjectDigest;
    expect(yes(rig, "g", "ann", { form: { amount: 5 }, subjectDigest: before })).toBeUndefined();
    const revised = rig.of("approval.revised")[0];
    expect(revised).toMatchObject({ by: "ann", form: { amount: 5 } });
    expect(revised?.subject.shown).toContainEqual({ label: "Amount", kind: "value", value: 5 });
    expect(yes(rig, "g", "bob", { subjectDigest: before })).toBe("content_changed");
    expect(yes(rig, "g", "bob", { form: { amount: 6 } })).toBeUndefined();
    expect(answersOf(rig, "g")).toEqual(["bob"]);
    expect(yes(rig, "g", "bob")).toBe("already_answered");
    // The same values are no change.
    expect(
      yes(rig, "g", "ann", { form: { amount: 6 }, subjectDigest: rig.of("approval.revised")[1]?.subjectDigest }),
    ).toBe(undefined);
    expect(rig.outputs("g")).toEqual({ approved: true, amount: 6 });
    expect(rig.of("approval.resolved")[0]).toMatchObject({ form: { amount: 6 }, status: "approved" });
    expectFolded(rig);
  });
});

describe("changed inputs", () => {
  const source = (more: string, command = "pay ${amount} to ${to}"): string =>
    workflow(
      [
        "quote {outputs: {price: {type: number}}}",
        `pay < quote {approval: required, command: '${command}', inputs: {amount: quote.outputs.price}${more}}`,
      ],
      "args: {to: {type: string, default: acme}}",
    );
  const asked = (more = "", command?: string): Rig =>
    runOf(source(more, command)).complete("quote", { outputs: { price: 7 } });

  it("are rendered and sent exactly, wherever the step reads them", () => {
    const rig = asked("", "pay ${amount} (${quote.price}) to ${to}");
    expect(yes(rig, "pay", "ann", { modifications: { inputs: { amount: 5, to: "bob" } } })).toBeUndefined();
    expect(rig.dispatch("pay").request).toMatchObject({ message: "pay 5 (5) to bob", inputs: { amount: 5 } });
    expectFolded(rig);
  });

  it.each([
    ["the name of the arg", "amount: '${amount}'", "pay ${amount}"],
    ["another name", "sum: '${amount}'", "pay ${sum}"],
    ["both names", "sum: '${amount}'", "pay ${sum}, that is ${amount}"],
    ["no template", "sum: {from: amount}", "pay ${sum}, that is ${amount}"],
    ["an expression", "sum: {expr: amount * 2}", "pay ${sum}"],
  ])("reach what is sent of an input with %s", (_, input, command) => {
    const name = input.split(":")[0] ?? "";
    const rig = runOf(
      workflow(
        [`pay {approval: required, command: '${command}', inputs: {${input}}}`],
        "args: {amount: {type: number, default: 900}}",
      ),
    );
    expect(yes(rig, "pay", "ann", { modifications: { inputs: { [name]: 450 } } })).toBeUndefined();
    const { message, inputs } = rig.dispatch("pay").request;
    expect([message, inputs]).toEqual([command.replaceAll(/\$\{\w+\}/g, "450"), { [name]: 450 }]);
  });

  it("must fit their type, and be something the step reads", () => {
    const errors = (inputs: object): unknown => {
      const { refusal } = asked().answer("pay", "approve", { modifications: { inputs } });
      return [refusal?.code, refusal?.errors];
    };
    expect(errors({ amount: "much" })).toEqual([
      "modifications_invalid",
      [{ field: "inputs.amount", message: 'must be number, got string "much"' }],
    ]);
    expect(errors({ to: 5 })).toEqual([
      "modifications_invalid",
      [{ field: "inputs.to", message: "must be string, got number 5" }],
    ]);
    expect(errors({ amonut: 5 })).toEqual([
      "modifications_invalid",
      [{ field: "inputs.amonut", message: "is nothing that pay reads; it reads amount, to" }],
    ]);
    const { refusal } = asked().answer("pay", "approve", { modifications: { inputs: 5, command: "rm" } });
    expect(refusal?.errors).toEqual([{ field: "command", message: "cannot be changed; inputs and outputs can" }]);
  });

  it("are checked against the contract an author wrote", () => {
    const rig = runOf(
      workflow(
        ["pay {approval: required, command: 'pay ${amount}', inputs: {amount: {type: number, maximum: 9}}}"],
        "args: {amount: 3}",
      ),
    );
    const { refusal } = rig.answer("pay", "approve", { modifications: { inputs: { amount: 10 } } });
    expect(refusal?.errors).toEqual([{ field: "inputs.amount", message: "10 is above the maximum 9" }]);
    expect(rig.status("pay")).toBe("blocked");
  });

  it("may be the output itself: nothing is sent, and it is checked like any other", () => {
    const rig = asked(", outputs: {receipt: integer}");
    const wrong = rig.answer("pay", "approve", { modifications: { outputs: { receipt: "none" } } }).refusal;
    expect(wrong?.errors).toEqual([{ field: "outputs.receipt", message: 'must be integer, got string "none"' }]);
    yes(rig, "pay", "ann", { modifications: { outputs: { receipt: 12 } } });
    expect(rig.outputs("pay")).toMatchObject({ receipt: 12 });
    expect(rig.dispatches.map(({ nodeId }) => nodeId)).toEqual(["quote"]);
  });

  it("void the approvals of others where several people have to approve", () => {
    const rig = asked(", quorum: 2");
    yes(rig, "pay", "ann");
    expect(yes(rig, "pay", "bob", { modifications: { inputs: { amount: 1 } } })).toBeUndefined();
    expect([rig.status("pay"), answersOf(rig, "pay")]).toEqual(["blocked", ["bob"]]);
    const revised = rig.of("approval.revised")[0];
    expect(revised?.subject.request).toMatchObject({ message: "pay 1 to acme", inputs: { amount: 1 } });
    expect(yes(rig, "pay", "ann")).toBeUndefined();
    expect(rig.dispatch("pay").request.message).toBe("pay 1 to acme");
    expectFolded(rig);
  });

  it("stay with what another person changes besides", () => {
    const rig = asked(", quorum: 2");
    yes(rig, "pay", "ann", { modifications: { inputs: { amount: 1 } } });
    yes(rig, "pay", "bob", { modifications: { inputs: { to: "ada" } } });
    expect(rig.of("approval.revised")[1]?.subject.request).toMatchObject({ message: "pay 1 to ada" });
    yes(rig, "pay", "ann");
    expect(rig.dispatch("pay").request.message).toBe("pay 1 to ada");
    expectFolded(rig);
  });

  it("are what a policy has granted, with and without a quorum", () => {
    const held = (quorum: number): Verdict => ({ ...HOLD, agentId: "default", rule: { ...HOLD.rule, quorum } });
    for (const quorum of [1, 2]) {
      const judge = ({ grants }: RequestVerdict): Verdict | undefined =>
        grants.includes("p@1") ? undefined : held(quorum);
      const rig = runOf(workflow(["a {command: 'pay ${n}'}"], "args: {n: 10}"), { judge });
      yes(rig, "a", "ann", { modifications: { inputs: { n: 5 } } });
      if (quorum === 2) yes(rig, "a", "bob");
      expect(rig.dispatch("a").request.message).toBe("pay 5");
      expect(rig.of("approval.requested")).toHaveLength(1);
    }
  });

  it("reach every element of a step that runs once for each, and its list", () => {
    const rig = runOf(
      workflow(
        ["mail {approval: required, for_each: people, as: who, command: 'write ${who} about ${topic}'}"],
        "args: {people: [ann, bob], topic: tides}",
      ),
    );
    const bad = rig.answer("mail", "approve", { modifications: { inputs: { people: "eve" } } }).refusal;
    expect(bad?.errors).toEqual([{ field: "inputs.people", message: "must be a list" }]);
    yes(rig, "mail", "x", { modifications: { inputs: { people: ["eve"], topic: "ebb" } } });
    expect(rig.dispatches.map(({ request }) => request.message)).toEqual(["write eve about ebb"]);
  });

  it("are part of what is calculated", () => {
    const rig = runOf(workflow(["a {approval: required, command: 'pay ${n * 2}'}"], "args: {n: 1}"));
    yes(rig, "a", "ann", { modifications: { inputs: { n: 4 } } });
    expect(rig.dispatch("a").request.message).toBe("pay 8");
  });

  it("are handed to a child run", () => {
    const rig = runOf(
      workflow(["c {approval: required, workflow_ref: audit, with: {n: '${n}', all: {deep: '${n}'}}}"], "args: {n: 1}"),
    );
    yes(rig, "c", "ann", { modifications: { inputs: { n: 2 } } });
    expect(rig.effects.find((effect) => effect.type === "start-child")).toMatchObject({
      args: { n: 2, all: { deep: 2 } },
    });
  });
});
