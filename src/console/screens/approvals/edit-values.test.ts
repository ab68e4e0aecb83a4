import { expect, it } from "vitest";
import { editFields, initialEdits, modificationsOf, readEdits } from "./edit-values.ts";

const LARGE = { $ref: "draft.outputs.text", bytes: 70_000, sha256: "0".repeat(64), preview: "Dear" };

it("edits text as text and anything else as JSON, and returns only what differs", () => {
  const fields = editFields({ to: "ann", amount: 5, list: [1, 2], letter: LARGE });
  expect(fields.map(({ name }) => name)).toEqual(["to", "amount", "list"]);
  const texts = initialEdits(fields);
  expect(texts).toEqual({ to: "ann", amount: "5", list: "[\n  1,\n  2\n]" });
  expect(readEdits(fields, texts)).toEqual({ changed: {}, problems: new Map() });
  const edited = readEdits(fields, { to: "bob", amount: "5.0", list: "[2]" });
  expect(edited).toEqual({ changed: { to: "bob", list: [2] }, problems: new Map() });
  const wrong = readEdits(fields, { to: "", amount: "", list: "[" });
  expect(wrong.changed).toEqual({ to: "" });
  expect([...wrong.problems.keys()]).toEqual(["amount", "list"]);
});

it("sends changed inputs by name, and outputs, args and results as a whole", () => {
  expect(modificationsOf("inputs", { a: 1, b: 2 }, { b: 3 })).toEqual({ inputs: { b: 3 } });
  expect(modificationsOf("outputs", { stdout: "", more: 1 }, { stdout: "x" })).toEqual({
    outputs: { stdout: "x", more: 1 },
  });
  expect(modificationsOf("args", { args: { n: 1, m: 2 } }, { args: { n: 5 } })).toEqual({ args: { n: 5 } });
  expect(modificationsOf("result", { result: null }, {})).toEqual({ result: null });
});
