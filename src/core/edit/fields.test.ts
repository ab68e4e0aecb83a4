import { describe, expect, it } from "vitest";
import { editFields, type FieldEdit } from "./index.ts";

const SPEC = `# What the desk may do
category: guardrail # as always
condition: node.action == 'read'

approvers:
  # Those first.
  - who: role:lead
    within: 4h
  - who: team:finance
`;

function edited(text: string, edit: FieldEdit): string {
  const outcome = editFields(text, edit);
  return outcome.ok ? outcome.value.text : `refused: ${outcome.failure}`;
}

describe("fields of a map", () => {
  it("are set where they stand, and comments stay", () => {
    expect(edited(SPEC, { kind: "set", path: ["category"], value: "tool" })).toBe(
      SPEC.replace("guardrail # as always", "tool # as always"),
    );
    expect(edited(SPEC, { kind: "set", path: ["approvers", 1, "who"], value: "role:chief" })).toBe(
      SPEC.replace("team:finance", "role:chief"),
    );
  });

  it("are added at the end, whatever they are called", () => {
    expect(edited(SPEC, { kind: "set", path: ["name"], value: "a" })).toBe(`${SPEC}name: a\n`);
  });

  it("are taken away, and the last entry of a list takes the list along", () => {
    expect(edited(SPEC, { kind: "remove", path: ["approvers", 0] })).toBe(
      SPEC.replace("  # Those first.\n  - who: role:lead\n    within: 4h\n", ""),
    );
    expect(edited("a: 1\nlist:\n  - b: 2\n", { kind: "remove", path: ["list", 0] })).toBe("a: 1\n");
    expect(edited("a: 1\n", { kind: "remove", path: ["a"] })).toBe("");
  });

  it("are written into a text that holds nothing yet", () => {
    for (const text of ["", "{}\n"]) {
      expect(edited(text, { kind: "set", path: ["a"], value: [1] })).toBe("a: [1]\n");
    }
    expect(edited("# later\n", { kind: "set", path: ["a"], value: 1 })).toBe("# later\na: 1\n");
    expect(edited("", { kind: "append", list: ["members"], index: 0, value: { agent: "x" } })).toBe(
      "members: [{ agent: x }]\n",
    );
  });

  it("get entries, in lists that are there and in lists that are not", () => {
    expect(edited("a: 1\n", { kind: "append", list: ["to"], index: 0, value: { who: "x" } })).toBe(
      "a: 1\nto:\n  - { who: x }\n",
    );
    expect(edited(SPEC, { kind: "append", list: ["approvers"], index: 2, value: { who: "x" } })).toBe(
      `${SPEC}  - { who: x }\n`,
    );
  });

  it("of a text that cannot be read are left alone", () => {
    expect(edited("a: [", { kind: "set", path: ["a"], value: 1 })).toMatch(/^refused/);
  });
});
