import { describe, expect, it } from "vitest";
import { definitionHash } from "./canonical.ts";
import { EMPTY_CATALOG, readDefinition } from "./read-definition.ts";

function hashOf(source: string): string {
  const { definition, problems } = readDefinition(source, EMPTY_CATALOG);
  expect(problems).toEqual([]);
  if (definition === null) throw new Error("the definition is valid");
  return definitionHash(definition);
}

const PLAIN = `
name: check
args: { limit: 5 }
steps:
  - id: read
    command: Read up to \${limit} lines.
    outputs: { lines: array, total: number }
  - id: sum
    set: { text: "\${read.total}", kept: "\${filter(read.lines, line => line.price > limit)}" }
  - id: note
    condition: read.total > 0
    stdin: $read.stdout
    command: Note it.
`;

/** The same, written by another hand. */
const SPELT_OUT = `
{"format": "lobsterx", "name": "check", "completion": "strict", "max_parallel": 50, "gateway": "pinned",
 "args": {"limit": {"type": "number", "default": 5, "required": false}},
 "steps": [
  {"id": "read", "command": "Read up to \${ limit } lines.", "on_failure": "halt", "timeout": 600, "action": "execute",
   "effects": "at_least_once", "depends_on": [], "queue_timeout": "10m",
   "outputs": {"total": {"type": "number", "required": true}, "lines": {"type": "array"}}},
  {"id": "sum", "set": {"kept": {"expr": "filter( read.outputs.lines, x=>x.price>limit )"}, "text": "read.outputs.total"}},
  {"id": "note", "when": "$read.outputs.total>0", "stdin": "\${read.stdout}", "command": "Note it.", "depends_on": ["read"]}]}
`;

describe("the hash of a definition", () => {
  it("covers what was written, and not what follows from it", () => {
    const source = '{"name": "a", "outputs": {"all": "${s.all}"}, "steps": [{"id": "s", "set": {"all": [1]}}]}';
    const { definition } = readDefinition(source, EMPTY_CATALOG);
    if (definition?.format !== "lobsterx") throw new Error("the definition is valid");
    const other = { ...definition, outputKinds: { all: { kind: "any" as const } } };
    expect(definitionHash(other as typeof definition)).toBe(definitionHash(definition));
  });

  it("is the same however it is written", () => {
    expect(hashOf(SPELT_OUT)).toBe(hashOf(PLAIN));
    expect(hashOf(PLAIN)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it.each([
    ["a text", "Note it.", "Note that."],
    ["a condition", "read.total > 0", "read.total >= 0"],
    ["a default", "limit: 5", "limit: 6"],
    ["what a lambda reads", "line.price > limit", "line.price > line.cost"],
    ["a type", "total: number", "total: integer"],
    ["the id of a step", "id: note", "id: noted"],
    ["a name that a step sets", "{ text:", "{ texts:"],
    ["a fixed value", 'text: "${read.total}"', "text: null"],
  ])("changes with %s", (_what, from, to) => {
    const changed = PLAIN.replace(from, to);
    expect(changed).not.toBe(PLAIN);
    expect(hashOf(changed)).not.toBe(hashOf(PLAIN));
  });

  it("keeps values that look like parts of the format", () => {
    const value = (text: string): string => hashOf(`{"name": "a", "steps": [{"id": "s", "set": {"x": ${text}}}]}`);
    const hashes = ['{"kind": "literal"}', '{"parts": []}', '{"kind": null}', "{}", "[]", "null", "false"].map(value);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it.each(["parts", "root", "segments", "kind", "steps", "forEach", "outputs"])(
    "is there when everything that has a name is called %s",
    (name) => {
      const named = (value: unknown): object => ({ [name]: value });
      const hash = (output: string): string =>
        hashOf(
          JSON.stringify({
            name: "a",
            labels: named("${args.x}"),
            args: { x: "string", ...named("string") },
            outputs: named({ expr: output }),
            steps: [
              { id: "one", command: "one", inputs: named("text"), outputs: named("string") },
              { id: "two", set: named({ deep: named("${one.stdout}") }) },
            ],
          }),
        );
      expect(hash("1 + 1")).toMatch(/^sha256:/);
      expect(hash("1 + 1")).not.toBe(hash("1 + 2"));
    },
  );

  it("changes with the order of steps, and with the value of an edge", () => {
    const steps = (...ids: readonly string[]): string =>
      hashOf(JSON.stringify({ name: "a", steps: ids.map((id) => ({ id, command: id })) }));
    expect(steps("a", "b")).not.toBe(steps("b", "a"));
    const graph = (value: unknown): string =>
      hashOf(
        JSON.stringify({
          format: "lens-graph/v1",
          name: "g",
          nodes: ["a", "b"].map((id) => ({ id, config: { template_body: id } })),
          edges: [
            {
              id: "e",
              source_node_id: "a",
              target_node_id: "b",
              target_param_label: "x",
              condition: { type: "equals", value },
            },
          ],
        }),
      );
    expect(new Set([graph(false), graph(null), graph(""), graph([])]).size).toBe(4);
  });
});
