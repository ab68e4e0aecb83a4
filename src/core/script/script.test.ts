import { describe, expect, it } from "vitest";
import { findEntry, readScript } from "./script.ts";

const FULL = `seed: 7
default: echo
nodes:
  classify:
    - { delay_ms: 20, fail: provider_rate_limit, retry_after_ms: 50 }
    - { outputs: { kind: saas }, tokens: { input: 120, output: 40 }, cost_usd: 0.002 }
  report: { chunks: ["The ", "answer"], chunk_ms: 10, stdout: "The answer" }
  slow: { hang: true }
  odd: { raw: "x" }
  twice: { outputs: {}, duplicate_callback: 3 }
  review/report: { stdout: special }
  "scan[3]": { stdout: third }
  scan: { stdout: any }
  review/scan: { stdout: review }
`;

describe("script file", () => {
  it("reads everything the format has", () => {
    const { script, problems } = readScript(FULL);
    expect(problems).toEqual([]);
    expect(script.seed).toBe(7);
    expect(script.default).toBe("echo");
    expect(script.nodes.get("classify")).toHaveLength(2);
    expect(script.nodes.get("twice")).toEqual([{ outputs: {}, duplicate_callback: 3 }]);
  });

  it("has defaults for everything", () => {
    expect(readScript("{}")).toMatchObject({ script: { seed: 0, default: "auto" }, problems: [] });
  });

  it.each([
    ["seed: x\n", "wrong_type", "seed", 1, 7],
    ["default: model\n", "bad_enum", "default", 1, 10],
    ["nods: {}\n", "unknown_key", "nods", 1, 1],
    ["nodes:\n  a: { dealy_ms: 5 }\n", "unknown_key", "nodes.a.dealy_ms", 2, 8],
    ["nodes:\n  a: { delay_ms: -1 }\n", "bad_number", "nodes.a.delay_ms", 2, 18],
    ["nodes:\n  a: { fail: broken }\n", "bad_enum", "nodes.a.fail", 2, 14],
    ["nodes:\n  a: [{ tokens: { input: 1.5 } }]\n", "bad_number", "nodes.a[0].tokens.input", 2, 26],
    ["nodes:\n  a: { duplicate_callback: 101 }\n", "bad_number", "nodes.a.duplicate_callback", 2, 28],
    ["nodes:\n  a: just text\n", "wrong_type", "nodes.a", 2, 6],
    ["nodes:\n  a: []\n", "missing_field", "nodes.a", 2, 6],
    ["nodes:\n  a b: {}\n", "bad_id", "nodes.a b", 2, 8],
    ["- a\n", "wrong_type", "", 1, 1],
  ])("reports %j with its place", (source, code, path, line, column) => {
    expect(readScript(source).problems).toMatchObject([{ code, path, line, column }]);
  });

  it("guesses what a misspelt key was meant to be", () => {
    expect(readScript("nodes:\n  a: { dealy_ms: 5 }\n").problems[0]?.hint).toContain("delay_ms");
  });

  it("reports all problems at once, in the order of the file", () => {
    const { problems } = readScript("default: x\nnodes:\n  a: { hang: maybe }\n  b: { stdot: y }\nmore: 1\n");
    expect(problems.map(({ line }) => line)).toEqual([1, 3, 4, 5]);
  });

  it("reports what cannot be read at all", () => {
    expect(readScript("nodes: [").problems[0]?.code).toBe("yaml_syntax");
    expect(readScript("nodes: { __proto__: {} }").problems[0]?.code).toBe("yaml_forbidden_key");
  });
});

describe("entry of an attempt", () => {
  const { script } = readScript(FULL);

  it("takes one entry per attempt, and the last for all that follow", () => {
    expect([1, 2, 3, 9].map((attempt) => findEntry(script, "w", "classify", attempt)?.fail)).toEqual([
      "provider_rate_limit",
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ["other", "report", "The answer"],
    ["review", "report", "special"],
    ["other", "scan[3]", "third"],
    ["other", "scan[4]", "any"],
    ["review", "scan[3]", "review"],
    ["review", "scan[0]", "review"],
  ])("finds %s/%s", (workflow, nodeId, stdout) => {
    expect(findEntry(script, workflow, nodeId, 1)?.stdout).toBe(stdout);
  });

  it.each(["unknown", "constructor", "__proto__", "report[0]x"])("knows no %s", (nodeId) => {
    expect(findEntry(script, "other", nodeId, 1)?.stdout).toBe(nodeId.startsWith("report") ? "The answer" : undefined);
  });
});
