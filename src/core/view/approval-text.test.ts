import { expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { changeableInputs, largeValueOf, requestText, shownGroups, shownTable, shownText } from "./approval-text.ts";

const LARGE = { $ref: "draft.outputs.text", bytes: 70_000, sha256: "0".repeat(64), preview: "Dear" };

it("shows values as text, and of a large one the beginning", () => {
  expect(shownText("a\nb")).toBe("a\nb");
  expect(shownText({ a: 1 })).toBe('{\n  "a": 1\n}');
  expect(shownText(undefined)).toBe("null");
  expect(shownText(LARGE)).toBe("Dear");
  expect(largeValueOf(LARGE)).toEqual(LARGE);
  for (const value of [null, "x", 1, [], {}, { ...LARGE, bytes: "1" }]) expect(largeValueOf(value)).toBeNull();
});

it("shows lists of objects or of lists as a table, and nothing else", () => {
  expect(shownTable([{ a: 1 }, { b: "x", a: null }])).toEqual({
    head: ["a", "b"],
    rows: [
      ["1", ""],
      ["", "x"],
    ],
  });
  expect(shownTable([[1, [2]], [3]])).toEqual({
    head: ["1", "2"],
    rows: [
      ["1", "[2]"],
      ["3", ""],
    ],
  });
  for (const value of [null, "x", [], [1], [[], {}], { a: 1 }]) expect(shownTable(value)).toBeNull();
});

it("describes a request in the words of what receives it", () => {
  const text = (provider: string | null, message: string, model: string | null = null) =>
    requestText({ provider, model, message });
  expect(text("process", "save 1").sentence).toContain("configured as “save”");
  expect(text("http", "https://example.com").heading).toBe("Address");
  expect(text("mcp", "files/delete").sentence).toBe("The tool files/delete is called with exactly these inputs.");
  expect(text("ai-sdk", "Hello", "gpt-9").sentence).toBe("Exactly this message is sent to gpt-9 by ai-sdk.");
  expect(text(null, "Hello").sentence).toBe("Exactly this message is sent to the default adapter.");
});

it("puts short values that stand beside each other into one table", () => {
  const value = (label: string, shown: Json) => ({ label, kind: "value", value: shown }) as const;
  const [long, note] = [value("letter", "Dear\nAda"), { label: "Note", kind: "markdown", value: "x" } as const];
  expect(
    shownGroups([value("a", 1), value("b", "x"), long, value("c", null), note, value("d", LARGE), value("e", "y")]),
  ).toEqual([
    { kind: "short", values: { a: 1, b: "x" } },
    { kind: "one", shown: long },
    { kind: "short", values: { c: null } },
    { kind: "one", shown: note },
    { kind: "one", shown: value("d", LARGE) },
    { kind: "short", values: { e: "y" } },
  ]);
  // A label that comes twice hides no value.
  expect(shownGroups([value("a", 1), value("a", 2)])).toHaveLength(2);
  expect(shownGroups([value("a", "x".repeat(120)), value("b", "x".repeat(121))]).map(({ kind }) => kind)).toEqual([
    "short",
    "one",
  ]);
});

it("lets be changed what stands there whole, inputs and whatever else is read", () => {
  const hidden = "[hidden: AWS key]";
  const reads = { "draft.stdout": "Dear", letter: "old", big: LARGE };
  expect(changeableInputs({ request: { inputs: { letter: "new", key: hidden, deep: [hidden] }, reads } })).toEqual({
    "draft.stdout": "Dear",
    letter: "new",
  });
  expect(changeableInputs({ request: { inputs: { ...LARGE }, reads: { a: 1 } } })).toEqual({ a: 1 });
  expect(changeableInputs({ request: { inputs: { a: 1 } } })).toEqual({ a: 1 });
  expect([changeableInputs({ request: null }), changeableInputs(null)]).toEqual([{}, {}]);
});
