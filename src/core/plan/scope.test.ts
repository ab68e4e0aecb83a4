import { describe, expect, it } from "vitest";
import { required } from "../base/index.ts";
import { EMPTY_CATALOG } from "../definition/index.ts";
import { type Expression, mapPaths } from "../expression/index.ts";
import { checkSource, type Plan, type PlanNode, type Reference, type StepBody } from "./index.ts";

function planOf(source: string): Plan {
  // Names that nothing has are resolved too: versions stored before names were checked still run.
  const { plan, problems } = checkSource(source, EMPTY_CATALOG, { isStored: true });
  expect(problems).toEqual([]);
  return required(plan, "a plan");
}

function nodeOf(plan: Plan, id: string): PlanNode {
  return required(plan.nodes[plan.indexById.get(id) ?? -1], id);
}

function bodyOf(plan: Plan, id: string): StepBody {
  const { body } = nodeOf(plan, id);
  if (body.kind !== "step") throw new Error("not a step");
  return body;
}

/** What the only reference of a template or expression means, with node indices as ids. */
function show(plan: Plan, reference: Reference | undefined): unknown {
  const { origin, rest } = required(reference, "a reference");
  return origin.kind === "node" ? [plan.nodes[origin.node]?.id, origin.part, ...rest] : [origin, ...rest];
}

function commandMeans(plan: Plan, id: string): unknown[] {
  const body = bodyOf(plan, id);
  const parts = body.command?.parts ?? [];
  return parts.flatMap((part) => (typeof part === "string" ? [] : [show(plan, body.scope.get(part.text))]));
}

function pathsIn(root: Expression): string[] {
  const texts: string[] = [];
  mapPaths({ text: "", root, paths: [] }, (path) => {
    texts.push(path.text);
    return path;
  });
  return texts;
}

function readOf(path: string): unknown {
  const plan = planOf(
    `{name: heads, args: {a: {type: object}}, steps: [{id: a, command: go, outputs: {x: string}}, {id: c, command: "\${${path}}"}]}`,
  );
  return commandMeans(plan, "c")[0];
}

describe("a head that is a step id", () => {
  it.each([
    ["a.outputs.x", ["a", "outputs", "x"]],
    ["a.outputs.x.y[0]", ["a", "outputs", "x", "y", 0]],
    ["a.outputs", ["a", "outputs"]],
    ["a.x", ["a", "outputs", "x"]],
    ["a.undeclared.deep", ["a", "outputs", "undeclared", "deep"]],
    ["a.stdout", ["a", "stdout"]],
    ["a.stdout.length", ["a", "stdout", "length"]],
    ["a.json", ["a", "json"]],
    ["a.json.k[1]", ["a", "json", "k", 1]],
    ["a.approved", ["a", "approved"]],
    ["a.outputs.stdout", ["a", "outputs", "stdout"]],
    ["a.outputs.outputs", ["a", "outputs", "outputs"]],
    ["a", ["a", "outputs"]],
  ])("%s", (path, meaning) => expect(readOf(path)).toEqual(meaning));
});

describe("variables", () => {
  it("are args, unless an ancestor declares the name", () => {
    const plan = planOf(`
name: shadow
args: { topic: { type: string }, tone: { type: string } }
steps:
  - { id: first, command: "\${topic} \${tone}", outputs: { topic: string } }
  - { id: second, command: "\${topic} \${tone} \${first.topic}", depends_on: [first] }
  - { id: aside, command: "\${topic}" }
`);
    expect(commandMeans(plan, "first")).toEqual([[{ kind: "arg", name: "topic" }], [{ kind: "arg", name: "tone" }]]);
    expect(commandMeans(plan, "second")).toEqual([
      ["first", "outputs", "topic"],
      [{ kind: "arg", name: "tone" }],
      ["first", "outputs", "topic"],
    ]);
    expect(commandMeans(plan, "aside")).toEqual([[{ kind: "arg", name: "topic" }]]);
  });

  it("come from the last ancestor in plan order, whatever the order in the file", () => {
    const plan = planOf(`
name: last
steps:
  - { id: z_root, command: go, outputs: { v: string } }
  - { id: a_later, command: go, depends_on: [z_root], outputs: { v: string } }
  - { id: end_step, command: "\${v}", depends_on: [z_root, a_later] }
  - { id: left, command: go, outputs: { w: string } }
  - { id: right, command: go, outputs: { w: string } }
  - { id: both, command: "\${w}", depends_on: [right, left] }
`);
    expect(commandMeans(plan, "end_step")).toEqual([["a_later", "outputs", "v"]]);
    expect(commandMeans(plan, "both")).toEqual([["right", "outputs", "w"]]);
  });

  it("are seen through a step between, but not from beside or below", () => {
    const plan = planOf(`
name: far
steps:
  - { id: root, command: "\${late}", outputs: { early: string } }
  - { id: middle, command: go, depends_on: [root] }
  - { id: leaf, command: "\${early} \${late} \${own}", depends_on: [middle], outputs: { own: string } }
  - { id: beside, command: "\${early}", outputs: { late: string } }
`);
    expect(commandMeans(plan, "leaf")).toEqual([
      ["root", "outputs", "early"],
      [{ kind: "missing" }],
      [{ kind: "missing" }],
    ]);
    expect(commandMeans(plan, "root")).toEqual([[{ kind: "missing" }]]);
    expect(commandMeans(plan, "beside")).toEqual([[{ kind: "missing" }]]);
  });

  it("are walked into, never taken whole for a longer path", () => {
    const plan = planOf(`
name: deep
args: { cfg: { type: object } }
steps:
  - { id: a, command: "\${cfg.list[2].name}", outputs: { data: object } }
  - { id: b, command: "\${data.k}", depends_on: [a] }
`);
    expect(commandMeans(plan, "a")).toEqual([[{ kind: "arg", name: "cfg" }, "list", 2, "name"]]);
    expect(commandMeans(plan, "b")).toEqual([["a", "outputs", "data", "k"]]);
  });

  it("never reach what every object has", () => {
    const plan = planOf('{name: own, args: {a: x}, steps: [{id: s, command: "${a} ${toString} ${valueOf}"}]}');
    expect(commandMeans(plan, "s").slice(1)).toEqual([[{ kind: "missing" }], [{ kind: "missing" }]]);
  });

  it("are not what a for_each step declares for its instances", () => {
    const plan = planOf(`
name: inner
args: { list: { type: array }, score: { type: number } }
steps:
  - { id: each, for_each: list, command: "\${item}", outputs: { score: number } }
  - { id: after, command: "\${score} \${each.outputs.items[0].score}", depends_on: [each] }
`);
    expect(commandMeans(plan, "after")).toEqual([
      [{ kind: "arg", name: "score" }],
      ["each", "outputs", "items", 0, "score"],
    ]);
  });
});

describe("inputs", () => {
  const plan = planOf(`
name: binding
args: { topic: { type: string } }
steps:
  - { id: research, command: go, outputs: { facts: array } }
  - id: write
    command: "\${brief} \${facts} \${notes.first}"
    depends_on: [research]
    inputs:
      facts: { type: array }
      topic: { type: string, required: false }
      research: { type: object }
      brief: research.outputs.brief
      notes: { from: "$research.json", type: object }
      short: { from: research.outputs.brief, maxLength: 9 }
      few: { from: research.outputs.n, maximum: 3, required: false }
`);
  const body = bodyOf(plan, "write");
  const from = (name: string) => show(plan, body.inputs.find((input) => input.name === name)?.from);

  it("take the variable of their name, not a step of that name", () => {
    expect(from("facts")).toEqual(["research", "outputs", "facts"]);
    expect(from("topic")).toEqual([{ kind: "arg", name: "topic" }]);
    expect(from("research")).toEqual([{ kind: "missing" }]);
  });

  it("take the source that is written", () => {
    expect(from("brief")).toEqual(["research", "outputs", "brief"]);
    expect(from("notes")).toEqual(["research", "json"]);
  });

  it("keep their constraints and whether they are required", () => {
    expect(body.inputs.map(({ name, field, isRequired }) => [name, field?.type ?? null, isRequired])).toEqual([
      ["facts", "array", true],
      ["topic", "string", false],
      ["research", "object", true],
      ["brief", null, true],
      ["notes", "object", true],
      ["short", "string", true],
      ["few", "number", false],
    ]);
  });

  it("are marked where they need not be there", () => {
    const optional = planOf(`
name: optional
steps:
  - { id: a, command: go, outputs: { found: { type: string, required: false } } }
  - id: b
    command: "\${found} \${named} \${nowhere} \${a.found} \${must}"
    inputs:
      found: { type: string, required: false }
      named: { from: a.outputs.found, required: false }
      nowhere: { type: string, required: false }
      must: a.outputs.found
`);
    const marks = [...bodyOf(optional, "b").scope.values()].map(({ text, isOptional }) => [text, isOptional === true]);
    expect(Object.fromEntries(marks)).toMatchObject({
      "${found}": true,
      "${named}": true,
      "${nowhere}": true,
      "${a.found}": false,
      "${must}": false,
    });
  });

  it("lend their source to a name in the command that nothing else has", () => {
    expect(commandMeans(plan, "write")).toEqual([
      ["research", "outputs", "brief"],
      ["research", "outputs", "facts"],
      ["research", "json", "first"],
    ]);
  });
});

describe("for_each", () => {
  const plan = planOf(`
name: loop
steps:
  - { id: find, command: go, outputs: { hits: array, item: object, index: integer } }
  - id: each
    for_each: item.hits
    depends_on: [find]
    condition: "item.ready == true and \${index} > 0"
    command: "\${item.name} \${index} \${find.hits}"
    stdin: "$find.stdout"
    inputs: { one: { from: item.name, type: string }, item: { type: object } }
    outputs: { score: number }
    success_criteria: ["outputs.score > index", "item.ready == true"]
  - { id: plain, command: "\${item.name} \${index}", depends_on: [find] }
`);
  const node = nodeOf(plan, "each");
  const body = bodyOf(plan, "each");

  it("reads its list outside of the instances", () => {
    expect(show(plan, node.forEach?.list)).toEqual(["find", "outputs", "item", "hits"]);
    expect(node.forEach).toMatchObject({ as: "item", maxItems: 1_000, tolerate: { count: 0 } });
  });

  it("shows element and index to the fields an instance has", () => {
    expect(commandMeans(plan, "each")).toEqual([
      [{ kind: "element" }, "name"],
      [{ kind: "index" }],
      ["find", "outputs", "hits"],
    ]);
    expect(body.inputs.map((input) => show(plan, input.from))).toEqual([
      [{ kind: "element" }, "name"],
      [{ kind: "element" }],
    ]);
    const criteria = body.criteria.flatMap(({ root }) => pathsIn(root).map((text) => show(plan, body.scope.get(text))));
    expect(criteria).toEqual([[{ kind: "self" }, "score"], [{ kind: "index" }], [{ kind: "element" }, "ready"]]);
  });

  it("judges a condition that reads the element for each instance, and no other", () => {
    expect(body.condition).toBeNull();
    const condition = required(node.forEach?.condition, "a condition");
    expect(pathsIn(condition.root).map((text) => show(plan, body.scope.get(text)))).toEqual([
      [{ kind: "element" }, "ready"],
      [{ kind: "index" }],
    ]);
    const other = planOf(
      "{name: w, args: {list: [1], go: true}, steps: [{id: a, for_each: list, command: go, condition: go}]}",
    );
    expect(nodeOf(other, "a").forEach?.condition).toBeNull();
    expect(bodyOf(other, "a").condition?.text).toBe("go");
  });

  it("keeps a condition apart from an input of the same name, which is bound later", () => {
    const later = planOf(`
name: later
args: { size: { type: number } }
steps:
  - { id: first, command: go, outputs: { size: number } }
  - { id: second, command: "\${given}", condition: given > 1, inputs: { given: first.outputs.size } }
`);
    const second = bodyOf(later, "second");
    const condition = required(second.condition, "a condition");
    expect(commandMeans(later, "second")).toEqual([["first", "outputs", "size"]]);
    expect(pathsIn(condition.root).map((text) => show(later, second.scope.get(text)))).toEqual([[{ kind: "missing" }]]);
    expect(condition.paths.map((path) => path.text)).toEqual(pathsIn(condition.root));
    expect(condition.text).toBe("given > 1");
  });

  it("shows element and index to no other step", () => {
    expect(commandMeans(plan, "plain")).toEqual([
      ["find", "outputs", "item", "name"],
      ["find", "outputs", "index"],
    ]);
  });
});

describe("success criteria", () => {
  const plan = planOf(`
name: criteria
args: { limit: { type: number } }
steps:
  - { id: before, command: go, outputs: { floor: number } }
  - { id: beside, command: go }
  - id: check
    command: go
    depends_on: [before]
    outputs: { score: number }
    success_criteria: ["outputs.score >= limit", "outputs.score >= floor"]
`);
  const body = bodyOf(plan, "check");

  it("see the node's own outputs, args and the variables of its ancestors", () => {
    const means = body.criteria.map(({ root }) => pathsIn(root).map((text) => show(plan, body.scope.get(text))));
    expect(means).toEqual([
      [[{ kind: "self" }, "score"], [{ kind: "arg", name: "limit" }]],
      [
        [{ kind: "self" }, "score"],
        ["before", "outputs", "floor"],
      ],
    ]);
  });
});

describe("with", () => {
  it("resolves references at any depth", () => {
    const plan = planOf(`
name: parent
args: { a: { type: string } }
steps:
  - { id: first, command: go }
  - id: call
    workflow_ref: other
    with: { x: "\${a}", deep: { list: ["n", "\${first.stdout}", { k: "\${first.k}" }] }, n: 3 }
`);
    const body = bodyOf(plan, "call");
    const meanings = [...body.scope.values()].map((reference) => show(plan, reference));
    expect(meanings).toEqual([[{ kind: "arg", name: "a" }], ["first", "stdout"], ["first", "outputs", "k"]]);
  });
});
