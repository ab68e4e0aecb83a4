import { describe, expect, it } from "vitest";
import { LIMITS } from "../base/index.ts";
import { EMPTY_CATALOG } from "../definition/index.ts";
import { checkSource } from "./index.ts";

const twoWriters = `name: rivals
steps:
  - { id: a, command: go, outputs: { v: string } }
  - { id: b, command: go, outputs: { v: string } }
`;

function warningsOf(rest: string) {
  const { problems, warnings } = checkSource(twoWriters + rest, EMPTY_CATALOG);
  expect(problems).toEqual([]);
  return warnings.filter((warning) => warning.code === "ambiguous_variable");
}

describe("ambiguous_variable", () => {
  it("says where, between whom, who wins and what to write", () => {
    const source = `  - id: c
    depends_on: [a, b]
    command: "use \${v}"
`;
    expect(warningsOf(source)).toEqual([
      {
        code: "ambiguous_variable",
        path: "steps[2].command",
        line: 7,
        column: 14,
        message:
          'step "c" sees the variable "v", which the steps "a", "b" before it declare; the value of "b", the last in plan order, is used',
        hint: "write b.outputs.v to keep it, or name another step the same way",
      },
    ]);
  });

  it.each([
    ["inputs: { v: { type: string } }, command: go", "steps[2].inputs.v"],
    ["inputs: { w: { from: v, type: string } }, command: go", "steps[2].inputs.w"],
    ["command: go, condition: \"v == 'x'\"", "steps[2].condition"],
    ["command: go, when: \"v == 'x'\"", "steps[2]"],
    ['command: go, stdin: "${v}"', "steps[2].stdin"],
    ['workflow_ref: other, with: { k: ["${v}"] }', "steps[2].with.k"],
    [
      "command: go, outputs: { o: string }, success_criteria: [\"outputs.o == 'x'\", 'outputs.o == v']",
      "steps[2].success_criteria[1]",
    ],
    ["command: go, for_each: v", "steps[2].for_each"],
  ])("points at the field: %s", (fields, path) => {
    expect(warningsOf(`  - { id: c, depends_on: [a, b], ${fields} }\n`).map((warning) => warning.path)).toEqual([path]);
  });

  it.each([
    ["the step is named", 'command: "${a.outputs.v} ${b.v}"'],
    ["only one of them comes before", 'depends_on: [a], command: "${v}"'],
    ["the name is the element's", 'depends_on: [a, b], for_each: a.json.list, as: v, command: "${v}"'],
  ])("keeps quiet when %s", (_, fields) => {
    expect(warningsOf(`  - { id: c, ${fields} }\n`)).toEqual([]);
  });

  it("warns once, at the step, when nothing reads it", () => {
    const found = warningsOf(
      "  - { id: c, depends_on: [a, b], command: go }\n  - { id: d, depends_on: [c], command: go }\n",
    );
    expect(found.map((warning) => warning.path)).toEqual(["steps[2]"]);
  });

  it("warns once per step and name", () => {
    const found = warningsOf('  - { id: c, depends_on: [a, b], command: "${v} ${v}", stdin: "${v}" }\n');
    expect(found.map((warning) => warning.path)).toEqual(["steps[2].command"]);
  });

  it("counts what it does not name", () => {
    const ids = ["p0", "p1", "p2", "p3", "p4", "p5", "p6"];
    const source = `name: many
steps:
${ids.map((id) => `  - { id: ${id}, command: go, outputs: { v: string } }`).join("\n")}
  - { id: c, depends_on: [${ids.join(", ")}], command: "\${v}" }
`;
    const [warning] = checkSource(source, EMPTY_CATALOG).warnings;
    expect(warning?.message).toContain('the steps "p1", "p2", "p3", "p4", "p5", "p6" and 1 more before it declare');
  });

  it.each([
    [LIMITS.problemsMax - 1, LIMITS.problemsMax - 1],
    [LIMITS.problemsMax, LIMITS.problemsMax],
    [LIMITS.problemsMax + 1, LIMITS.problemsMax],
  ])("reports %i of them as %i", (count, reported) => {
    const readers = Array.from(
      { length: count },
      (_, at) => `  - { id: r${at}, depends_on: [a, b], command: "\${v}" }\n`,
    );
    const found = warningsOf(readers.join(""));
    expect(found.map((warning) => warning.path)).toEqual(
      Array.from({ length: reported }, (_, at) => `steps[${at + 2}].command`),
    );
  });
});

describe("checkSource", () => {
  it("stands warnings of both rooms in the order of the text", () => {
    const source = `name: mixed
args: { never_read: { type: string } }
steps:
  - { id: a, command: go, outputs: { v: string } }
  - { id: b, command: go, outputs: { v: string } }
  - { id: c, depends_on: [a, b], command: "\${v}" }
  - { id: d, command: go, on_failure: fail }
`;
    const { warnings } = checkSource(source, EMPTY_CATALOG);
    expect(warnings.map(({ code, line }) => [code, line])).toEqual([
      ["unused_arg", 2],
      ["ambiguous_variable", 6],
      ["alias_used", 7],
    ]);
  });

  it.each([
    ["", "yaml_empty"],
    ["name: [", "yaml_syntax"],
    ["name: x\nsteps: [{id: a, command: go, depends_on: [ghost]}]\n", "unknown_step"],
    ["name: x\nsteps: [{id: a, command: go, depends_on: [b]}, {id: b, command: go, depends_on: [a]}]\n", "cycle"],
  ])("has neither definition nor plan when there are problems: %j", (source, code) => {
    const checked = checkSource(source, EMPTY_CATALOG);
    expect(checked).toMatchObject({ definition: null, plan: null });
    expect(checked.problems.map((problem) => problem.code)).toContain(code);
  });
});
