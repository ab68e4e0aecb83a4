import { describe, expect, it } from "vitest";
import type { StateNode, Run } from "../../../client/index.ts";
import { isOtherSpan, pairNodes, resultText, wordsOf } from "./comparison.ts";

const node = (nodeId: string, more: Partial<StateNode> = {}): StateNode => ({
  nodeId,
  label: nodeId,
  wave: 0,
  status: "completed",
  waitingReason: null,
  attempts: 1,
  retries: 0,
  startedAt: null,
  completedAt: null,
  durationMs: 1_000,
  outputs: { answer: 1 },
  output: "one",
  errorCode: null,
  errorMessage: null,
  isHandled: false,
  costMicros: 10,
  ...more,
});
const lines = (...pairs: ReturnType<typeof pairNodes>): string[] =>
  pairs.map(({ id, left, right, differs }) => {
    const side = left === null ? ">" : right === null ? "<" : "=";
    return `${side}${id} ${[...differs].join(",")}`.trim();
  });

describe("the nodes of two runs", () => {
  it("do not differ where one run has taken over what the other has done, unless a person gave another result", () => {
    const kept = { attempts: 0, durationMs: 0, costMicros: 0 };
    const left = [node("a"), node("b")];
    const right = [node("a", kept), node("b", { ...kept, outputs: { answer: 2 } })];
    expect(lines(...pairNodes(left, right))).toEqual(["=a", "=b attempts,cost,duration,result"]);
  });

  it("differ where a person wrote another prompt, even when all else is the same", () => {
    const both = [node("a"), node("b"), node("c")];
    const pairs = pairNodes(both, both, { c: "Ask politely" }, { b: "Ask again", c: "Ask politely" });
    expect(lines(...pairs)).toEqual(["=a", "=b prompt", "=c"]);
  });

  it("stand in the order of the left one, and those only the right one has where they stand there", () => {
    const left = ["a", "b", "d"].map((id) => node(id));
    const right = ["x", "a", "c", "c2", "d", "e"].map((id) => node(id));
    expect(lines(...pairNodes(left, right))).toEqual([
      ">x status",
      "=a",
      ">c status",
      ">c2 status",
      "<b status",
      "=d",
      ">e status",
    ]);
    expect(pairNodes([], [])).toEqual([]);
    expect(lines(...pairNodes([], right.slice(0, 1)))).toEqual([">x status"]);
    expect(lines(...pairNodes(left.slice(0, 1), []))).toEqual(["<a status"]);
  });

  it("differ in what they cost, gave, and how often they were tried", () => {
    const [pair] = pairNodes([node("a")], [node("a", { status: "failed", attempts: 2, costMicros: 11 })]);
    expect([...(pair?.differs ?? [])]).toEqual(["status", "attempts", "cost"]);
    const [other] = pairNodes([node("a")], [node("a", { outputs: { answer: 2 } })]);
    expect([...(other?.differs ?? [])]).toEqual(["result"]);
  });

  it.each([
    [1_000, 1_999, false],
    [1_000, 2_000, true],
    [10_000, 13_333, false],
    [10_000, 13_334, true],
    [null, 5_000, false],
  ])("take %j and %j ms: noticed %j", (left, right, isNoticed) => {
    expect(isOtherSpan(left, right)).toBe(isNoticed);
    expect(isOtherSpan(right, left)).toBe(isNoticed);
  });
});

describe("what a node gave", () => {
  it("is the same whatever the order of its members", () => {
    expect(resultText(node("a", { outputs: { x: 1, y: 2 } }))).toBe(resultText(node("a", { outputs: { y: 2, x: 1 } })));
  });

  it("has a line for every line of a text, and none for a backslash before an n", () => {
    const text = resultText(node("a", { outputs: { text: "one\ntwo", path: "C:\\new" } }));
    expect(text.split("\n")).toEqual([
      "{",
      '  "outputs": {',
      '    "path": "C:\\\\new",',
      '    "text": "one\\n',
      'two"',
      "  }",
      "}",
    ]);
  });

  it("counts large values by their hashes", () => {
    const large = (hash: string) =>
      node("a", { outputs: { x: null }, refs: [{ path: ["outputs", "x"], hash, bytes: 9 }] });
    expect(resultText(large("sha256:1"))).not.toBe(resultText(large("sha256:2")));
    expect(resultText(large("sha256:1"))).toContain("outputs.x");
  });

  it("is its text when it has no outputs, and its error when it failed", () => {
    expect(JSON.parse(resultText(node("a", { outputs: {} })))).toEqual({ output: "one" });
    const failed = node("a", { outputs: null, output: null, errorCode: "timeout", errorMessage: "too slow" });
    expect(JSON.parse(resultText(failed))).toEqual({ error: "timeout: too slow" });
    expect(resultText(node("a", { outputs: null, output: null }))).toBe("");
    expect(resultText(null)).toBe("");
  });
});

it("lists what was set differently", () => {
  const run = { workflow: "w", version: 1, trigger: "api", model: null, gateway: null, epoch: 0 } as unknown as Run;
  const differing = wordsOf(run, { ...run, version: 2, trigger: "restart" }).filter(({ differs }) => differs);
  expect(differing.map(({ name, left, right }) => `${name} ${left} ${right}`)).toEqual([
    "Workflow w v1 w v2",
    "Started by api restart",
  ]);
});
