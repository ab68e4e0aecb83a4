import { describe, expect, it } from "vitest";
import { findEntry, readScript, scriptJsonSchema } from "./script.ts";
import { roundAfter } from "./script-round.ts";

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
    ["nodes:\n  a: { rounds: [] }\n", "missing_field", "nodes.a.rounds", 2, 16],
    ["nodes:\n  a: { rounds: [{ txt: x }] }\n", "unknown_key", "nodes.a.rounds[0].txt", 2, 19],
    [
      "nodes:\n  a: { rounds: [{ calls: [{ tol: x, tool: y }] }, {}] }\n",
      "unknown_key",
      "nodes.a.rounds[0].calls[0].tol",
      2,
      29,
    ],
    ["nodes:\n  a: { rounds: [{ calls: [{}] }, {}] }\n", "missing_field", "nodes.a.rounds[0].calls[0].tool", 2, 27],
    ["nodes:\n  a: { rounds: [{ calls: [{ tool: x }] }] }\n", "missing_field", "nodes.a.rounds[0]", 2, 17],
    ["nodes:\n  a: { rounds: [{ text: x, on_deny: 1 }] }\n", "bad_number", "nodes.a.rounds[0].on_deny", 2, 37],
    ["nodes:\n  a: { stdout: x, rounds: [{}] }\n", "conflicting_fields", "nodes.a.stdout", 2, 16],
    [
      "nodes:\n  a: { rounds: [{ calls: [{ tool: x, result: 1, hang: true }] }, {}] }\n",
      "conflicting_fields",
      "nodes.a.rounds[0].calls[0].hang",
      2,
      55,
    ],
  ])("reports %j with its place", (source, code, path, line, column) => {
    expect(readScript(source).problems).toMatchObject([{ code, path, line, column }]);
  });

  it("guesses what a misspelt key was meant to be", () => {
    expect(readScript("nodes:\n  a: { dealy_ms: 5 }\n").problems[0]?.hint).toContain("delay_ms");
    const inside = "nodes:\n  a: { rounds: [{ txt: x, calls: [{ tool: x, arg: {} }] }, {}] }\n";
    expect(readScript(inside).problems.map(({ hint }) => hint)).toEqual([
      'Did you mean "text"?',
      'Did you mean "args"?',
    ]);
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
    expect(
      [1, 2, 3, 9].map((attempt) => findEntry(script, { workflow: "w", nodeId: "classify", path: "" }, attempt)?.fail),
    ).toEqual(["provider_rate_limit", undefined, undefined, undefined]);
  });

  it.each([
    ["other", "report", "The answer"],
    ["review", "report", "special"],
    ["other", "scan[3]", "third"],
    ["other", "scan[4]", "any"],
    ["review", "scan[3]", "review"],
    ["review", "scan[0]", "review"],
  ])("finds %s/%s", (workflow, nodeId, stdout) => {
    expect(findEntry(script, { workflow, nodeId, path: "" }, 1)?.stdout).toBe(stdout);
  });

  it("finds a step behind the nodes that contain it, the most exact name first", () => {
    const names = ["each[1]/step", "each/step", "w/step", "step[2]", "step", "each[0]/block#2/step[1]"];
    const nodes = Object.fromEntries(names.map((name) => [name, { stdout: name }]));
    const { script: nested, problems } = readScript(JSON.stringify({ nodes }));
    expect(problems).toEqual([]);
    const found = (path: string, nodeId: string, workflow = "w") =>
      findEntry(nested, { workflow, nodeId, path }, 1)?.stdout;
    expect(found("each[1]/", "step")).toBe("each[1]/step");
    expect(found("each[0]/", "step")).toBe("each/step");
    expect(found("each[0]#2/", "step[7]")).toBe("each/step");
    expect(found("other/", "step")).toBe("w/step");
    expect(found("other/", "step[2]", "v")).toBe("step[2]");
    expect(found("each[0]/block#2/", "step[1]")).toBe("each[0]/block#2/step[1]");
  });

  it.each(["unknown", "constructor", "__proto__", "report[0]x"])("knows no %s", (nodeId) => {
    expect(findEntry(script, { workflow: "other", nodeId, path: "" }, 1)?.stdout).toBe(
      nodeId.startsWith("report") ? "The answer" : undefined,
    );
  });
});

describe("rounds of a turn", () => {
  const { script, problems } = readScript(`nodes:
  agent:
    rounds:
      - { text: Looking., calls: [{ tool: orders/find, args: { id: 7 }, result: { total: 900 } }] }
      - { calls: [{ tool: refund, args: { amount: 900 } }], on_deny: 3, on_changed: 4 }
      - { text: Refunded. }
      - { text: Not refunded. }
      - { text: Refunded in part. }
`);
  const rounds = findEntry(script, { workflow: "w", nodeId: "agent", path: "" }, 1)?.rounds ?? [];
  const done = { kind: "result" };

  it("are read", () => {
    expect(problems).toEqual([]);
    expect(rounds).toHaveLength(5);
  });

  it.each([
    ["from the start", [], 0],
    ["one after the other", [[done], [done]], 2],
    ["as a denial has it", [[done], [done, { kind: "denied" }]], 3],
    ["as a change has it", [[done], [{ ...done, note: "450" }]], 4],
    ["as a denial has it before a change", [[done], [{ ...done, note: "450" }, { kind: "denied" }]], 3],
    ["after a denial that names none", [[{ kind: "denied" }]], 1],
    ["the same answer again", [[done], [done], []], 2],
    ["never past the end", [[done], [done], [done], [done], [done], [done]], 4],
  ])("follow: %s", (_, outcomes, index) => {
    expect(roundAfter(rounds, outcomes)).toEqual({ index, round: rounds[index] });
  });

  it("are part of the JSON Schema", () => {
    expect(JSON.stringify(scriptJsonSchema())).toContain("on_changed");
    expect(scriptJsonSchema()).toMatchObject({ $id: "urn:sluice:schema:script", type: "object" });
  });
});
