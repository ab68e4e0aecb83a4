import { describe, expect, it } from "vitest";
import { LIMITS, type JsonObject } from "../base/index.ts";
import { EMPTY_CATALOG, readDefinition } from "./index.ts";

function codes(document: JsonObject): readonly string[] {
  const { problems } = readDefinition(JSON.stringify(document), EMPTY_CATALOG);
  return problems.map((problem) => `${problem.code} ${problem.path}`);
}

function numbered(count: number, make: (index: number) => JsonObject): readonly JsonObject[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

describe("limits at their edges", () => {
  it.each([
    [LIMITS.nodesMax - 1, []],
    [LIMITS.nodesMax, []],
    [LIMITS.nodesMax + 1, ["too_many_steps steps"]],
  ])("%d steps", (count, expected) => {
    expect(codes({ name: "w", steps: numbered(count, (index) => ({ id: `s${index}`, command: "x" })) })).toEqual(
      expected,
    );
  });

  it.each([
    [LIMITS.nodesMax, []],
    [LIMITS.nodesMax + 1, ["too_many_steps nodes"]],
  ])("%d nodes", (count, expected) => {
    const nodes = numbered(count, (index) => ({ id: `n${index}` }));
    expect(codes({ format: "lens-graph/v1", name: "g", nodes })).toEqual(expected);
  });

  it.each([
    [LIMITS.edgesMax - 1, []],
    [LIMITS.edgesMax, []],
    [LIMITS.edgesMax + 1, ["too_many_edges steps"]],
  ])("%d dependencies", (count, expected) => {
    // 250 roots; each of the others depends on up to 250 of them.
    const roots = numbered(250, (index) => ({ id: `r${index}`, command: "x" }));
    const ids = roots.map((root) => root.id ?? "");
    const steps = [...roots];
    for (let left = count; left > 0; left -= 250) {
      steps.push({ id: `s${left}`, command: "x", depends_on: ids.slice(0, Math.min(250, left)) });
    }
    expect(codes({ name: "w", steps })).toEqual(expected);
  });

  it.each([
    [LIMITS.edgesMax, []],
    [LIMITS.edgesMax + 1, ["too_many_edges edges"]],
  ])("%d edges", (count, expected) => {
    const edges = numbered(count, (index) => ({
      id: `e${index}`,
      source_node_id: "a",
      target_node_id: "b",
      target_param_label: "x",
    }));
    expect(codes({ format: "lens-graph/v1", name: "g", nodes: [{ id: "a" }, { id: "b" }], edges })).toEqual(expected);
  });

  it.each([
    [LIMITS.commandBytesMax - 1, []],
    [LIMITS.commandBytesMax, []],
    [LIMITS.commandBytesMax + 1, ["bad_template steps[0].command"]],
  ])("a command of %d bytes, not characters", (bytes, expected) => {
    const command = `${"é".repeat(Math.floor(bytes / 2))}${bytes % 2 === 0 ? "" : "x"}`;
    expect(codes({ name: "w", steps: [{ id: "a", command }] })).toEqual(expected);
  });

  it.each([
    [LIMITS.expressionLengthMax - 1, []],
    [LIMITS.expressionLengthMax, []],
    [LIMITS.expressionLengthMax + 1, ["bad_expression steps[0].condition"]],
  ])("a condition of %d characters", (length, expected) => {
    const condition = `true${" ".repeat(length - 8)}== a`;
    expect(codes({ name: "w", args: { a: true }, steps: [{ id: "s", command: "x", condition }] })).toEqual(expected);
  });

  it.each([
    [LIMITS.problemsMax - 1, LIMITS.problemsMax - 1],
    [LIMITS.problemsMax, LIMITS.problemsMax],
    [LIMITS.problemsMax + 1, LIMITS.problemsMax],
    [9_999, LIMITS.problemsMax],
  ])("%d mistakes show %d problems, the first of the file", (count, shown) => {
    const found = codes({ name: "w", steps: numbered(count, (index) => ({ id: `s${index}`, command: "x", nope: 1 })) });
    expect(found).toEqual(numbered(shown, () => ({})).map((_, index) => `unknown_key steps[${index}].nope`));
  });

  it("keeps warnings to the same number", () => {
    const steps = numbered(100, (index) => ({ id: `s${index}`, command: "x", when: "true" }));
    expect(readDefinition(JSON.stringify({ name: "w", steps }), EMPTY_CATALOG).warnings).toHaveLength(
      LIMITS.problemsMax,
    );
  });

  it("checks a large graph with long chains without trouble", () => {
    const steps = numbered(LIMITS.nodesMax, (index) => ({
      id: `s${index}`,
      command: index === 0 ? "x" : `\${s${index - 1}.stdout}`,
      depends_on: [index - 7, index - 90, index - 900].filter((parent) => parent >= 0).map((parent) => `s${parent}`),
    }));
    expect(codes({ name: "w", steps })).toEqual([]);
  });

  it("survives a hostile number of mistakes of every kind", () => {
    const steps = numbered(5_000, (index) => ({
      id: `s${index}`,
      command: "${missing.x}",
      depends_on: ["missing", `s${index}`],
      bad: {},
    }));
    expect(codes({ name: "w", steps })).toHaveLength(LIMITS.problemsMax);
  });
});
