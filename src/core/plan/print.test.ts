import { describe, expect, it } from "vitest";
import { required } from "../base/index.ts";
import { EMPTY_CATALOG } from "../definition/index.ts";
import {
  checkSource,
  describePlan,
  describePlanToDraw,
  type Plan,
  printPlanDot,
  printPlanMermaid,
  printPlanText,
} from "./index.ts";

function planOf(source: string): Plan {
  const { plan, problems } = checkSource(source, EMPTY_CATALOG);
  expect(problems).toEqual([]);
  return required(plan, "a plan");
}

const review = planOf(`
name: review
args: { urgent: { type: boolean }, files: { type: array } }
phases: [gather, decide]
steps:
  - { id: fetch, name: Fetch the diff, phase: gather, command: go }
  - { id: lint, phase: gather, for_each: files, as: file, command: "\${file}" }
  - { id: sign, phase: decide, approval: required, depends_on: [fetch, lint] }
  - { id: ship, workflow_ref: deploy@2, depends_on: [sign], condition: "urgent == true" }
`);

const lenses = planOf(`
format: lens-graph/v1
name: lenses
nodes: [{ id: draft, lens_id: answer }, { id: judge-it, label: "The judge" }]
edges:
  - { id: e1, source_node_id: draft, target_node_id: judge-it, target_param_label: answer, condition: { type: truthy } }
`);

describe("describePlan", () => {
  it("is the graph as data", () => {
    expect(describePlan(review)).toEqual({
      name: "review",
      format: "lobsterx",
      nodes: [
        { id: "fetch", kind: "agent", dependsOn: [], dependents: ["sign"], wave: 0 },
        { id: "lint", kind: "agent", dependsOn: [], dependents: ["sign"], wave: 0 },
        { id: "sign", kind: "gate", dependsOn: ["fetch", "lint"], dependents: ["ship"], wave: 1 },
        { id: "ship", kind: "child", dependsOn: ["sign"], dependents: [], wave: 2 },
      ],
      layers: [["fetch", "lint"], ["sign"], ["ship"]],
    });
  });

  it("gives a drawing the names of the nodes, and their phases", () => {
    expect(describePlanToDraw(review)).toMatchObject({
      nodes: [
        { id: "fetch", wave: 0, label: "Fetch the diff", phase: "gather" },
        { id: "lint", label: "lint", phase: "gather" },
        { id: "sign", label: "sign", phase: "decide" },
        { id: "ship", label: "ship", phase: null },
      ],
      layers: [["fetch", "lint"], ["sign"], ["ship"]],
    });
  });

  it("names the format as the file does", () => {
    expect(describePlan(lenses)).toMatchObject({ format: "lens-graph/v1" });
  });

  it("sorts dependsOn by id, not by plan order", () => {
    const plan = planOf(
      "{name: ids, steps: [{id: z, command: go}, {id: a, command: go, depends_on: [z]}, {id: m, command: go, depends_on: [a, z]}]}",
    );
    expect(describePlan(plan)).toMatchObject({ nodes: [{ id: "z" }, { id: "a" }, { id: "m", dependsOn: ["a", "z"] }] });
  });
});

describe("printPlanText", () => {
  it("prints layers with what is worth noticing", () => {
    expect(printPlanText(review)).toMatchInlineSnapshot(`
      "review (lobsterx): 4 nodes, 3 edges, 3 layers

      layer 0
        fetch  agent     Fetch the diff · phase gather
        lint   agent     phase gather · for each file of files

      layer 1
        sign   gate      phase decide · approval · after fetch, lint

      layer 2
        ship   child     runs deploy@2 · if urgent == true · after sign
      "
    `);
    expect(printPlanText(lenses)).toMatchInlineSnapshot(`
      "lenses (lens-graph/v1): 2 nodes, 1 edge, 2 layers

      layer 0
        draft     lens

      layer 1
        judge-it  utility   The judge · conditional from draft · after draft
      "
    `);
  });

  it("lists a few parents and counts the rest", () => {
    const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const steps = ids.map((id) => `{id: ${id}, command: go}`);
    const plan = planOf(
      `{name: wide, steps: [${steps.join(", ")}, {id: join, command: go, depends_on: [${ids.join(", ")}]}]}`,
    );
    expect(printPlanText(plan)).toContain("after a, b, c, d, e, f and 2 more");
  });
});

describe("printPlanMermaid", () => {
  it("prints a flowchart", () => {
    expect(printPlanMermaid(review)).toMatchInlineSnapshot(`
      "flowchart TD
        fetch["fetch<br/>Fetch the diff<br/>phase gather"]
        lint["lint<br/>phase gather<br/>for each file of files"]
        sign{{"sign<br/>phase decide<br/>approval"}}
        ship[["ship<br/>runs deploy@2<br/>if urgent == true"]]
        fetch --> sign
        lint --> sign
        sign --> ship
      "
    `);
    expect(printPlanMermaid(lenses)).toMatchInlineSnapshot(`
      "flowchart TD
        draft(["draft"])
        n1("judge-it<br/>The judge<br/>conditional from draft")
        draft -.-> n1
      "
    `);
  });

  it("never uses a word of the diagram language as a name, nor two nodes one name", () => {
    const plan = planOf(
      "{name: words, steps: [{id: end, command: go}, {id: graph, command: go}, {id: n0, command: go}, {id: n0_, command: go}, {id: ok, command: go, depends_on: [end]}]}",
    );
    const names = printPlanMermaid(plan)
      .split("\n")
      .flatMap((line) => /^ {2}(\w+)\[/.exec(line)?.[1] ?? []);
    expect(names).toEqual(["n0__", "n1", "n0", "n0_", "ok"]);
    expect(printPlanMermaid(plan)).toContain("  n0__ --> ok\n");
  });
});

describe("printPlanDot", () => {
  it("prints a graph", () => {
    expect(printPlanDot(review)).toMatchInlineSnapshot(`
      "digraph "review" {
        rankdir=TB;
        "fetch" [label="fetch\\nFetch the diff\\nphase gather", shape=box];
        "lint" [label="lint\\nphase gather\\nfor each file of files", shape=box];
        "sign" [label="sign\\nphase decide\\napproval", shape=hexagon];
        "ship" [label="ship\\nruns deploy@2\\nif urgent == true", shape=box3d];
        "fetch" -> "sign";
        "lint" -> "sign";
        "sign" -> "ship";
      }
      "
    `);
    expect(printPlanDot(lenses)).toMatchInlineSnapshot(`
      "digraph "lenses" {
        rankdir=TB;
        "draft" [label="draft", shape=ellipse];
        "judge-it" [label="judge-it\\nThe judge\\nconditional from draft", shape=note];
        "draft" -> "judge-it" [style=dashed];
      }
      "
    `);
  });
});

describe("steps inside a node", () => {
  const plan = planOf(`
name: nested
steps:
  - { id: first, command: go }
  - id: end
    depends_on: [first]
    steps:
      - { id: in1, command: go }
      - { id: in2, depends_on: [in1], steps: [{ id: deep, command: go }] }
  - id: pick
    depends_on: [end]
    choose:
      - { name: yes, when: "1 == 1", steps: [{ id: q, command: go }] }
      - { else: [{ id: q, command: go }] }
finally:
  - { id: tidy, command: go }
`);

  it("are drawn in a frame for Mermaid, under names of their own", () => {
    expect(printPlanMermaid(plan)).toMatchInlineSnapshot(`
      "flowchart TD
        first["first"]
        subgraph n1["end"]
          n1__in1["in1"]
          subgraph n1__in2["in2"]
            n1__in2__deep["deep"]
          end
          n1__in1 --> n1__in2
        end
        subgraph pick["pick<br/>one of yes, 1"]
          subgraph pick__0["yes"]
            pick__0__q["q"]
          end
          subgraph pick__1["1"]
            pick__1__q["q"]
          end
        end
        first --> n1
        n1 --> pick
        subgraph finally["finally"]
          finally__tidy["tidy"]
        end
      "
    `);
  });

  it("are drawn in a frame for Graphviz", () => {
    expect(printPlanDot(plan)).toMatchInlineSnapshot(`
      "digraph "nested" {
        rankdir=TB;
        "first" [label="first", shape=box];
        subgraph "cluster end" {
          label="";
          "end" [label="end", shape=tab];
          "end/in1" [label="in1", shape=box];
          subgraph "cluster end/in2" {
            label="";
            "end/in2" [label="in2", shape=tab];
            "end/in2/deep" [label="deep", shape=box];
          }
          "end/in1" -> "end/in2";
        }
        subgraph "cluster pick" {
          label="";
          "pick" [label="pick\\none of yes, 1", shape=diamond];
          subgraph "cluster pick.0" {
            label="yes";
            "pick.0/q" [label="q", shape=box];
          }
          subgraph "cluster pick.1" {
            label="1";
            "pick.1/q" [label="q", shape=box];
          }
        }
        "first" -> "end";
        "end" -> "pick";
        subgraph "cluster finally" {
          label="finally";
          "finally/tidy" [label="tidy", shape=box];
        }
      }
      "
    `);
  });
});

describe("work without an agent", () => {
  const plan = planOf(
    JSON.stringify({
      name: "own",
      steps: [
        { id: "s", set: { a: 1, b: "${s0.x}" }, for_each: "range(0, 2)" },
        { id: "s0", script: { code: "return {x: 1};" }, outputs: { x: "number" } },
        { id: "x", cancel: { as: "completed" }, depends_on: ["s"] },
        { id: "y", fail: { code: "no_good", message: "no" }, depends_on: ["s"] },
      ],
    }),
  );

  it("says what it does, in every print", () => {
    expect(printPlanText(plan)).toContain("s   set       sets a, b · for each item of range(0, 2) · after s0");
    expect(printPlanText(plan)).toContain("s0  script    runs js");
    expect(printPlanText(plan)).toContain("x   end       ends the run as completed · after s");
    expect(printPlanText(plan)).toContain("y   end       fails the run with no_good · after s");
    expect(printPlanDot(plan)).toContain("shape=octagon");
    expect(printPlanMermaid(plan)).toContain('s[/"s<br/>');
  });
});

describe("hostile names", () => {
  const hostile = String.raw`"]; end <script>alert(1)</script> & #quot; \u001b[2J \n \\ ` + "`x` ](";
  const plan = planOf(
    JSON.stringify({ name: "hostile", steps: [{ id: "a", name: `${hostile}\u001b[31m\nnext\u202e`, command: "go" }] }),
  );

  it("cannot leave their quotes in a flowchart", () => {
    const line = required(printPlanMermaid(plan).split("\n")[1], "a node");
    expect(line).toMatch(/^ {2}a\["[^"]*"\]$/u);
    expect(line.replaceAll("<br/>", "")).not.toMatch(/[<>`&]/u);
  });

  it("cannot leave their quotes in a graph", () => {
    const line = required(printPlanDot(plan).split("\n")[2], "a node");
    expect(line).toMatch(/^ {2}"a" \[label="(?:[^"\\]|\\.)*", shape=box\];$/u);
  });

  it("cannot move a terminal's cursor or start a line", () => {
    const text = printPlanText(plan);
    expect(text.split("\n")).toHaveLength(5);
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/u);
  });

  it.each([79, 80, 81])("are cut beyond 80 characters: %i", (length) => {
    const name = "é".repeat(length);
    const plan = planOf(JSON.stringify({ name: "long", steps: [{ id: "a", name, command: "go" }] }));
    const shown = length <= 80 ? name : `${"é".repeat(79)}…`;
    expect(printPlanText(plan).split("\n")[3]).toBe(`  a  agent     ${shown}`);
  });
});
