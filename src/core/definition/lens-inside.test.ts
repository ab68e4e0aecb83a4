import { describe, expect, it } from "vitest";
import { checkSource } from "../plan/index.ts";
import { EMPTY_CATALOG } from "./index.ts";

const graph = (config: object, more: object = {}): string =>
  JSON.stringify({
    format: "lens-graph/v1",
    name: "g",
    root_inputs: { "Open Question": { type: "string" } },
    nodes: [
      { id: "a", config: { template_body: "A" } },
      { id: "b", config },
    ],
    edges: [{ id: "e", source_node_id: "a", target_node_id: "b", target_param_label: "notes" }],
    ...more,
  });
const problems = (source: string): readonly string[] =>
  checkSource(source, EMPTY_CATALOG).problems.map(({ code, path, hint }) => `${code} ${path} ${hint ?? ""}`.trim());

describe("steps inside a lens graph", () => {
  it("are blocks of its plan, and see what the node is given by label", () => {
    const steps = [
      { id: "look", command: "${notes} ${open_question}" },
      { id: "deep", steps: [{ id: "dig", command: "D" }] },
    ];
    const { plan, problems: found } = checkSource(graph({ steps }), EMPTY_CATALOG);
    expect(found).toEqual([]);
    expect(plan?.nodes[1]).toMatchObject({ kind: "block", child: { block: "b" }, timeoutMs: null });
    expect([...(plan?.blocks.keys() ?? [])].sort()).toEqual(["b", "b/deep"]);
    expect(Object.keys(plan?.blocks.get("b")?.args ?? {})).toEqual(["notes", "open_question"]);
  });

  it("are branches, and come last", () => {
    const choose = [
      { when: "notes == 'x'", steps: [{ id: "x", command: "X" }] },
      { else: [{ id: "y", command: "Y" }] },
    ];
    const last = { finally: [{ id: "f", command: "${run.outcome} ${open_question}" }] };
    const { plan, problems: found } = checkSource(graph({ choose }, last), EMPTY_CATALOG);
    expect(found).toEqual([]);
    expect(plan?.nodes[1]).toMatchObject({ kind: "choose", choose: [{ block: "b.0" }, { block: "b.1" }] });
    expect(plan?.finally).toMatchObject({ block: "finally" });
  });

  it.each<[string, object, object, string]>([
    ["an unknown name", { steps: [{ id: "s", command: "${nots}" }] }, {}, "nodes[1].config.steps[0].command"],
    ["a word of steps that is wrong", { steps: [{ id: "s", comand: "x" }] }, {}, "nodes[1].config.steps[0].comand"],
    ["no steps", { steps: [] }, {}, "nodes[1].config.steps"],
    [
      "a second else",
      { choose: [{ else: [{ id: "s", command: "x" }] }, { else: [{ id: "t", command: "x" }] }] },
      {},
      "nodes[1].config.choose[1].else",
    ],
    ["a template beside them", { steps: [{ id: "s", command: "x" }], template_body: "T" }, {}, "nodes[1].config.steps"],
    ["outputs without steps", { outputs: { x: 1 } }, {}, "nodes[1].config.outputs"],
    [
      "a node that comes last and is unknown",
      {},
      { finally: [{ id: "f", command: "${b.stdout}" }] },
      "finally[0].command",
    ],
  ])("%s is reported where it is written", (_name, config, more, path) => {
    expect(problems(graph(config, more)).map((line) => line.split(" ")[1])).toContain(path);
  });

  it("need a node whose id is one of a step", () => {
    const steps = [{ id: "s", command: "x" }];
    const nodes = [{ id: "My-Node", config: { steps } }];
    expect(problems(graph({}, { nodes, edges: [] }))).toEqual([expect.stringContaining("bad_id nodes[0].id")]);
  });
});
