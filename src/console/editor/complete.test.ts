import { describe, expect, it } from "vitest";
import { jsonSchema } from "../../core/definition/index.ts";
import { completeAt } from "./complete.ts";
import { declaredNames } from "./names.ts";
import { placeAt } from "./yaml-place.ts";

const SCHEMAS = { lobsterx: jsonSchema("lobsterx"), lensGraph: jsonSchema("lens-graph") };
const KNOWN = {
  agents: ["analyst", "clerk"],
  tools: [],
  models: [],
  library: ["summarise"],
  lenses: [],
  workflows: [],
};

/** The bar is the cursor. */
function at(marked: string): { readonly text: string; readonly offset: number } {
  const offset = marked.indexOf("|");
  return { text: marked.slice(0, offset) + marked.slice(offset + 1), offset };
}

function place(marked: string) {
  const { text, offset } = at(marked);
  return placeAt(text, offset);
}

function labels(marked: string): readonly string[] {
  const { text, offset } = at(marked);
  return completeAt(text, offset, SCHEMAS, KNOWN)?.options.map(({ label }) => label) ?? [];
}

describe("place in a half-written text", () => {
  it.each([
    ["na|", [], "member", "na"],
    ["name: a\nste|", [], "member", "ste"],
    ["name: he|", ["name"], "value", "he"],
    ["steps:\n  - i|", ["steps", 0], "member", "i"],
    ["steps:\n  - id: a\n    com|", ["steps", 0], "member", "com"],
    ["steps:\n- id: a\n- id: b\n  ph|", ["steps", 1], "member", "ph"],
    ["steps:\n  - id: a\n    depends_on:\n      - x|", ["steps", 0, "depends_on", 0], "member", "x"],
    ["steps:\n  - id: a\n    depends_on: [b, c|", ["steps", 0, "depends_on", 1], "member", "c"],
    ["steps:\n  - { id: a, on_failure: ha|", ["steps", 0, "on_failure"], "value", "ha"],
    ["steps:\n  - { id: a, on|", ["steps", 0], "member", "on"],
    ["steps:\n  - id: a\nargs:\n  who:\n    ty|", ["args", "who"], "member", "ty"],
    ["args:\n  who: { type: str|", ["args", "who", "type"], "value", "str"],
    ["steps:\n  - id: a\n    command: |\n", ["steps", 0, "command"], "value", ""],
    ["steps:\n  - id: 'a|", ["steps", 0, "id"], "value", "a"],
  ] as const)("%j", (marked, path, kind, prefix) => {
    expect(place(marked)).toMatchObject({ path, kind, prefix });
  });

  it("knows the keys of the same map, above and below", () => {
    expect([...(place("steps:\n  - id: a\n    |\n    phase: x\n  - id: b\n")?.keys ?? [])]).toEqual(["id", "phase"]);
  });

  it("offers nothing in comments and blocks of text", () => {
    expect(place("name: a # na|")).toBeNull();
    expect(place("steps:\n  - id: a\n    command: >\n      some te|".replace("te|", "te|"))).toBeNull();
    expect(place("a: [1, 2] x|")).toBeNull();
  });

  it("goes on after a block of text", () => {
    expect(place("steps:\n  - id: a\n    command: >-\n      text: no\n    pha|")).toMatchObject({ path: ["steps", 0] });
  });
});

describe("completion", () => {
  it("offers keys of the document, and none that is there", () => {
    const offered = labels("name: a\n|");
    expect(offered).toContain("steps");
    expect(offered).not.toContain("name");
  });

  it("offers no old spelling", () => {
    const offered = labels("steps:\n  - id: a\n    |");
    expect(offered).toContain("condition");
    expect(offered).not.toContain("when");
  });

  it("offers words of an enum", () => {
    expect(labels("completion: |")).toEqual(["strict", "leaves"]);
    expect(labels("steps:\n  - { id: a, on_failure: |")).toContain("retry_once");
  });

  it("offers what the text declares", () => {
    expect(labels("steps:\n  - id: a\n  - id: b\n    depends_on: [|")).toEqual(["a", "b", "step", "on"]);
    expect(labels("phases: [plan, do]\nsteps:\n  - id: a\n    phase: |")).toEqual(["plan", "do"]);
    expect(labels("roles:\n  editor: {}\nsteps:\n  - id: a\n    role: |")).toEqual(["editor"]);
  });

  it("offers what the server knows", () => {
    expect(labels("steps:\n  - id: a\n    agent: |")).toEqual(["analyst", "clerk"]);
    expect(labels("steps:\n  - id: a\n    library_step: |")).toEqual(["summarise"]);
  });

  it("offers references inside texts", () => {
    const text = "args:\n  who: Ada\nsteps:\n  - id: a\n    command: Hello ${|";
    expect(labels(text)).toEqual(["who", "a"]);
    expect(labels(text.replace("|", "a.|"))).toEqual(["outputs", "stdout", "json", "approved", "error"]);
  });

  it("knows both formats", () => {
    expect(labels("format: lens-graph/v1\n|")).toContain("edges");
    expect(labels("format: lens-graph/v1\nnodes:\n  - id: a\nedges:\n  - { source_node_id: |")).toEqual(["a"]);
  });
});

describe("declared names", () => {
  it("reads both styles of writing", () => {
    const text =
      "args: { a: 1, b: { type: string } }\nphases:\n  - id: p\n    name: P\n  - q\nsteps:\n  - { id: x }\n  - name: N\n    id: y\n";
    expect(declaredNames(text)).toMatchObject({ steps: ["x", "y"], phases: ["p", "q"] });
    expect(declaredNames(text).args).toContain("a");
  });

  it("does not take what follows for its own", () => {
    expect(declaredNames("steps:\n- id: a\n# a remark\n- id: b\nphases:\n- id: c\n").steps).toEqual(["a", "b"]);
  });
});
