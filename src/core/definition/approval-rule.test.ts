import { describe, expect, it } from "vitest";
import { EMPTY_CATALOG, readDefinition, type Step } from "./index.ts";

interface Read {
  readonly problems: readonly string[];
  readonly steps: readonly Step[];
}

function read(steps: readonly object[], more: object = {}, isStored = false): Read {
  const source = JSON.stringify({ name: "w", args: { who: "x", list: [1] }, ...more, steps });
  const { problems, definition } = readDefinition(source, EMPTY_CATALOG, { isStored });
  return {
    problems: problems.map(({ code, path, message, hint }) => [code, path, message, hint ?? ""].join(" | ")),
    steps: definition?.format === "lobsterx" ? definition.steps : [],
  };
}

const DRAFT = { id: "draft", command: "write ${who} ${list}", outputs: { title: "string", rows: "array" } };
const gate = (fields: object): Read => read([DRAFT, { id: "gate", approval: "required", ...fields }]);
const rule = (fields: object): Step["approval"] => {
  const { problems, steps } = gate(fields);
  expect(problems).toEqual([]);
  return steps[1]?.approval ?? null;
};

describe("who approves", () => {
  it("may be a key, and names of users and keys may hold spaces", () => {
    const approvers = ["key:key_1", "key:CI bot", "user:https://id.example ann", { who: "team:ops", within: "1h" }];
    expect(rule({ approvers })?.approvers.map(({ who }) => who)).toEqual([
      "key:key_1",
      "key:CI bot",
      "user:https://id.example ann",
      "team:ops",
    ]);
    for (const who of ["ann", "role:a b", "key:", "key: x", "user:ann "]) {
      expect(gate({ approvers: [who] }).problems[0]).toMatch(/^bad_name \| steps\[1\]\.approvers\[0\]/u);
    }
  });

  it("is one person, so many, or two who have not started the run", () => {
    expect(rule({})).toMatchObject({ quorum: 1, isSeparate: false, confirm: null });
    expect(rule({ quorum: 20, confirm: "sign_in" })).toMatchObject({
      quorum: 20,
      isSeparate: false,
      confirm: "sign_in",
    });
    expect(rule({ four_eyes: true })).toMatchObject({ quorum: 2, isSeparate: true });
    expect(rule({ four_eyes: true, quorum: 3, separate_approver: true })).toMatchObject({
      quorum: 3,
      isSeparate: true,
    });
    expect(rule({ four_eyes: false })).toMatchObject({ quorum: 1, isSeparate: false });
  });

  it.each([
    [{ quorum: 0 }, 'bad_number | steps[1].quorum | "quorum" must be a whole number from 1 to 20, but it is 0. | '],
    [{ quorum: 21 }, "bad_number | steps[1].quorum"],
    [{ quorum: 1.5 }, "bad_number | steps[1].quorum"],
    [{ quorum: "2" }, "wrong_type | steps[1].quorum"],
    [{ four_eyes: true, quorum: 1 }, "conflicting_fields | steps[1].quorum"],
    [{ four_eyes: true, separate_approver: false }, "conflicting_fields | steps[1].separate_approver"],
    [{ confirm: "yes" }, "bad_enum | steps[1].confirm"],
  ])("%j is a problem", (fields, problem) => {
    const { problems } = gate(fields);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.startsWith(problem)).toBe(true);
  });

  it("is also who answers when a step without a gate fails", () => {
    const { steps } = read([{ ...DRAFT, quorum: 2, show: ["who"] }]);
    expect(steps[0]).toMatchObject({ approval: null, askRule: { quorum: 2, show: [{ kind: "value" }] } });
  });
});

describe("what is shown", () => {
  it("is references, texts, and values with a way to show them; each a dependency", () => {
    const show = [
      "draft.title",
      "Dear ${who}",
      { table: "draft.rows", label: "Rows" },
      { diff: ["who", "${draft.title}"] },
    ];
    const { problems, steps } = gate({ show });
    expect(problems).toEqual([]);
    expect(steps[1]?.dependencies).toEqual(["draft"]);
    expect(steps[1]?.approval?.show).toMatchObject([
      { kind: "value", label: null, value: { text: "draft.title", parts: [{ segments: ["draft", "title"] }] } },
      { kind: "value", label: null, value: { text: "Dear ${who}" } },
      { kind: "table", label: "Rows" },
      { kind: "diff", before: { text: "who" }, after: { text: "${draft.title}" } },
    ]);
  });

  it.each([
    [["draft.tilte"], "unknown_field | steps[1].show[0]"],
    [["missing.x"], "unknown_step | steps[1].show[0]"],
    [[{ markdown: "Dear ${wh}" }], "unknown_step | steps[1].show[0].markdown"],
    [[{ diff: ["who", "no.x"] }], "unknown_step | steps[1].show[0].diff[1]"],
    [[{ diff: ["who"] }], "wrong_type | steps[1].show[0].diff"],
    [[{ label: "x" }], 'missing_field | steps[1].show[0] | Entry 1 of "show" says nothing to show.'],
    [[{ text: "who", image: "who" }], "conflicting_fields | steps[1].show[0]"],
    [[{ html: "who" }], "unknown_key | steps[1].show[0].html"],
    [["Dear ${"], "bad_template | steps[1].show[0]"],
    [[5], "wrong_type | steps[1].show[0]"],
    [[], "missing_field | steps[1].show"],
    [["gate.approved"], "self_dependency | steps[1].show[0]"],
  ])("%j is a problem", (show, problem) => {
    expect(gate({ show }).problems[0]?.startsWith(problem), gate({ show }).problems.join("\n")).toBe(true);
  });

  it("has a title: the name with its references, which are checked for new versions only", () => {
    const named = (name: string, isStored = false): Read =>
      read([DRAFT, { id: "gate", approval: "required", name }], {}, isStored);
    expect(named("Send ${draft.title} to ${who}?")).toMatchObject({
      problems: [],
      steps: [{}, { dependencies: ["draft"], title: { text: "Send ${draft.title} to ${who}?" } }],
    });
    expect(named("Costs $5").steps[1]?.title).toBeNull();
    for (const name of ["${drafts.x}", "${draft.tilte}", "${gate.approved}", "a ${ b", "${outputs.x}"]) {
      expect(named(name).problems, name).toHaveLength(1);
      expect(named(name, true).problems, name).toEqual([]);
    }
  });
});

describe("a form", () => {
  it("declares outputs of the gate, which other steps may read", () => {
    const form = { amount: { type: "number", min: 1 }, kind: { enum: ["a", "b"] }, note: "string" };
    const pay = {
      id: "pay",
      command: "pay ${gate.amount} ${gate.outputs.kind} ${note}",
      condition: "gate.kind == 'a'",
    };
    const { problems, steps } = read([DRAFT, { id: "gate", approval: "required", form }, pay]);
    expect(problems).toEqual([]);
    expect(steps[1]?.approval?.form).toEqual({
      amount: { type: "number", required: true, min: 1 },
      kind: { type: "enum", required: true, enum: ["a", "b"] },
      note: { type: "string", required: true },
    });
    const typo = read([DRAFT, { id: "gate", approval: "required", form }, { id: "pay", command: "${gate.amuont}" }]);
    expect(typo.problems[0]).toMatch(/^unknown_field \| steps\[2\]\.command .* Did you mean "amount"\?/u);
  });

  it("may have references in its texts, for which the gate waits, checked for new versions only", () => {
    const filled = (texts: object, isStored = false): Read =>
      read([DRAFT, { id: "gate", approval: "required", form: { n: { type: "number", ...texts } } }], {}, isStored);
    const { problems, steps } = filled({ default: "${draft.title}", label: "For ${who}", description: "Costs $5" });
    expect(problems).toEqual([]);
    expect(steps[1]).toMatchObject({
      dependencies: ["draft"],
      approval: {
        fills: [
          { field: "n", key: "default" },
          { field: "n", key: "label" },
        ],
      },
    });
    expect(filled({ label: "Costs $5" }).steps[1]?.approval).not.toHaveProperty("fills");
    for (const text of ["${drafts.x}", "${draft.tilte}", "${gate.approved}", "a ${ b"]) {
      for (const key of ["default", "label", "description"]) {
        expect(filled({ type: "string", [key]: text }).problems, text).toHaveLength(1);
        expect(filled({ type: "string", [key]: text }, true).problems, text).toEqual([]);
      }
    }
    // It is not known before whether it will fit.
    const form = { n: { type: "number", default: "${draft.title}" } };
    expect(gate({ form, otherwise: "approve" }).problems[0]).toContain("conflicting_fields | steps[1].otherwise");
  });

  it.each([
    [{ n: "decimal" }, "bad_enum | steps[1].form.n"],
    [{ n: {} }, "missing_field | steps[1].form.n.type"],
    [{ n: { type: "enum" } }, 'bad_enum | steps[1].form.n.enum | A field of type enum needs "enum"'],
    [{ n: "enum" }, "bad_enum | steps[1].form.n.enum"],
    [{ n: { enum: [] } }, "bad_enum | steps[1].form.n.enum"],
    [{ n: { type: "number", default: "much" } }, "type_mismatch | steps[1].form.n.default | The default does not fit"],
    [{ n: { type: "integer", max: 5, default: 9 } }, "type_mismatch | steps[1].form.n.default"],
    [{ n: { enum: ["a"], default: "b" } }, "type_mismatch | steps[1].form.n.default"],
    [{ n: { type: "date", default: "soon" } }, "type_mismatch | steps[1].form.n.default"],
    [{ n: { type: "number", enum: ["a"] } }, "type_mismatch | steps[1].form.n.enum[0]"],
    [{ n: { type: "boolean", min: 1 } }, "conflicting_fields | steps[1].form.n.min"],
    [{ n: { type: "number", pattern: "x" } }, "conflicting_fields | steps[1].form.n.pattern"],
    [{ n: { type: "number", min: 2, max: 1 } }, "bad_number | steps[1].form.n.min"],
    [{ n: { type: "string", pattern: "(" } }, "bad_pattern | steps[1].form.n.pattern"],
    [{ approved: "boolean" }, "reserved_id | steps[1].form.approved"],
    [{ n: { type: "number", size: 1 } }, "unknown_key | steps[1].form.n.size"],
    [{}, "missing_field | steps[1].form"],
    [["n"], "wrong_type | steps[1].form"],
  ])("%j is a problem", (form, problem) => {
    const { problems } = gate({ form });
    expect(problems[0]?.startsWith(problem), problems.join("\n")).toBe(true);
  });

  it("belongs to a gate that does nothing else, and says where to put it", () => {
    const form = { n: "number" };
    expect(gate({ form, command: "pay" }).problems).toEqual([
      'conflicting_fields | steps[1].form | A form belongs to a gate, and "gate" has a "command" as well: what is entered ' +
        "would go nowhere. | Put a step with approval: required and this form before it, and read what was entered as ${gate.field}.",
    ]);
    expect(gate({ form, workflow_ref: "other" }).problems[0]).toContain('has a "workflow_ref" as well');
    expect(read([DRAFT, { id: "b", command: "x", form }]).problems[0]).toContain(
      'has no effect without "approval: required"',
    );
    expect(gate({ form, command: " " }).problems).toEqual([]);
  });

  it("that has to be filled in cannot be approved by no one", () => {
    expect(gate({ form: { n: "number" }, otherwise: "approve" }).problems[0]).toContain(
      "conflicting_fields | steps[1].otherwise",
    );
    expect(gate({ form: { n: { type: "number", default: 1 } }, otherwise: "approve" }).problems).toEqual([]);
    expect(gate({ form: { n: { type: "number", required: false } }, otherwise: "approve" }).problems).toEqual([]);
  });
});
