import { describe, expect, it } from "vitest";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import { EMPTY_CATALOG, jsonSchema, readDefinition } from "./index.ts";

/** As much of JSON Schema as our schemas use; paths of what does not fit. */
function misfits(schema: JsonObject, value: Json, path = ""): readonly string[] {
  const anyOf = schema.anyOf as readonly JsonObject[] | undefined;
  if (anyOf !== undefined) return anyOf.some((one) => misfits(one, value, path).length === 0) ? [] : [`${path} anyOf`];
  if (isJsonArray(schema.enum)) return schema.enum.includes(value) ? [] : [`${path} enum`];
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return [`${path} type`];
  if (typeof value === "string") return textMisfits(schema, value, path);
  if (typeof value === "number") return numberMisfits(schema, value, path);
  if (isJsonArray(value)) return listMisfits(schema, value, path);
  return isJsonObject(value) ? mapMisfits(schema, value, path) : [];
}

function isOfType(value: Json, type: Json | undefined): boolean {
  if (type === "null") return value === null;
  if (type === "array") return isJsonArray(value);
  if (type === "object") return isJsonObject(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function textMisfits(schema: JsonObject, value: string, path: string): readonly string[] {
  const isLong = value.length > Number(schema.maxLength ?? Number.POSITIVE_INFINITY);
  const isShort = value.length < Number(schema.minLength ?? 0);
  const isForeign = typeof schema.pattern === "string" && !new RegExp(schema.pattern, "u").test(value);
  const isForbidden = isJsonObject(schema.not) && misfits(schema.not, value).length === 0;
  return isLong || isShort || isForeign || isForbidden ? [`${path} text`] : [];
}

function numberMisfits(schema: JsonObject, value: number, path: string): readonly string[] {
  const isHigh = value > Number(schema.maximum ?? Number.POSITIVE_INFINITY);
  const isLow = value < Number(schema.minimum ?? Number.NEGATIVE_INFINITY);
  const isAtEdge = value <= Number(schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  return isHigh || isLow || isAtEdge ? [`${path} number`] : [];
}

function listMisfits(schema: JsonObject, value: readonly Json[], path: string): readonly string[] {
  const isShort = value.length < Number(schema.minItems ?? 0);
  const items = schema.items as JsonObject | undefined;
  const inside = value.flatMap((item, index) => (items === undefined ? [] : misfits(items, item, `${path}[${index}]`)));
  return isShort ? [`${path} list`, ...inside] : inside;
}

function mapMisfits(schema: JsonObject, value: JsonObject, path: string): readonly string[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonObject>>;
  const required = (schema.required ?? []) as readonly string[];
  const found = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${path}.${name} required`);
  for (const [key, member] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const rest = schema.additionalProperties;
    if (property !== undefined) found.push(...misfits(property, member, `${path}.${key}`));
    else if (rest === false) found.push(`${path}.${key} unknown`);
    else if (isJsonObject(rest)) found.push(...misfits(rest, member, `${path}.${key}`));
  }
  return found;
}

const LOBSTER_SOURCES = [
  "name: w\nsteps: [{ id: a, command: x }]\n",
  `
name: everything
version: 3
description: d
model: m
completion: leaves
timeout: 2h
max_parallel: 3
args: { a: 1, b: x, c: [1], d: null, e: true, f: { type: string, required: true, enum: [p, q], description: d } }
roles: { r: { description: d, required_skills: [s], agent: g }, s: }
phases: [p, { id: q, name: Q }]
steps:
  - { id: one, command: "\${a} \${b} \${c} \${d} \${e} \${f}", role: r, phase: p, timeout: 5, on_failure: fail, when: true, tools: [t], capabilities: [c] }
  - { id: two, command: x, inputs: { i: one.outputs.x, j: { from: one.y, type: array, items: { type: string } } }, outputs: { k: string, l: { type: number, minimum: 1, maximum: 2, required: false } }, success_criteria: ["outputs.l > 1", true] }
  - { id: three, hitl: true, approvers: [{ who: "role:x", within: 90 }, "user:y"], otherwise: skip, expires: 1d, separate_approver: true }
  - { id: gate, name: "May \${a}?", approval: required, approvers: ["key:CI bot"], four_eyes: true, quorum: 3, confirm: sign_in, show: [one.x, "Dear \${b}", { markdown: one.y, label: l }, { diff: [one.x, "\${one.y}"] }], form: { n: number, e: { enum: [1, 2] }, t: { type: text, min: 1, max: 9, default: x, required: false, label: l, description: d, pattern: "^x" } } }
  - { id: four, workflow_ref: other@2, with: { x: ["\${one.x}"] }, retry: { attempts: 2, backoffMs: 1 }, effects: at_least_once, action: financial }
  - { id: five, command: x, for_each: c, as: row, max_items: 5, max_parallel: 2, tolerate: 10%, estimated_cost: 0.5, context_sources: [internal, { class: external, as_of: "2030-01-01" }] }
  - { id: six, library_step: lib, queue_timeout: 5m, parallel_failure_policy: fail_fast, provider: p, model: m, agent: g }
`,
];

const LENS_SOURCES = [
  "format: lens-graph/v1\nname: g\nnodes: [{ id: a }]\n",
  `
format: lens-graph/v1
name: g
root_inputs: { question: { type: string, required: true } }
nodes:
  - { id: a, lens_id: null, version_id: null, label: A, ordinal: 1, config: { modelId: m, timeout_ms: 5, moderation: "off", param_overrides: { x: "[[b.y]]" }, retry: { attempts: 2 } } }
  - { id: b, lens_id: l, config: { on_parent_failure: substitute_default } }
  - { id: c, config: { workflow_ref: w, with: { a: 1 } } }
edges:
  - { id: e, source_node_id: b, target_node_id: c, target_param_label: x, merge_strategy: null, condition: { type: equals, value: 3 } }
`,
];

describe.each([
  ["lobsterx", LOBSTER_SOURCES],
  ["lens-graph", LENS_SOURCES],
] as const)("the schema of %s", (format, sources) => {
  const schema = jsonSchema(format);

  it("accepts what the checker accepts", () => {
    for (const source of sources) {
      const { problems, tree } = readDefinition(source, EMPTY_CATALOG);
      expect(problems).toEqual([]);
      expect(misfits(schema, tree?.value ?? null)).toEqual([]);
    }
  });

  it("is closed: every record refuses unknown keys, and every property says what it is", () => {
    const seen: string[] = [];
    const visit = (part: Json, path: string): void => {
      if (isJsonArray(part)) for (const [index, member] of part.entries()) visit(member, `${path}/${index}`);
      if (!isJsonObject(part)) return;
      if (isJsonObject(part.properties)) {
        seen.push(path);
        expect(part.additionalProperties).toBe(false);
        for (const property of Object.values(part.properties)) expect(property).toHaveProperty("description");
      }
      for (const [key, member] of Object.entries(part)) {
        // The keys of this map are names of the format, of which "properties" is one.
        const isNames = key === "properties" && isJsonObject(member);
        if (isNames) for (const [name, one] of Object.entries(member)) visit(one, `${path}/${key}/${name}`);
        else visit(member, `${path}/${key}`);
      }
    };
    visit(schema, "");
    expect(seen.length).toBeGreaterThan(4);
  });

  it("is plain JSON with a dialect", () => {
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });
});

it.each([
  [{ name: "W", steps: [{ id: "a", command: "x" }] }],
  [{ name: "w", steps: [] }],
  [{ name: "w" }],
  [{ name: "w", steps: [{ id: "a", comand: "x" }] }],
  [{ name: "w", steps: [{ id: "toString", command: "x" }] }],
  [{ name: "w", steps: [{ id: "a", command: "x", timeout: 0 }] }],
  [{ name: "w", steps: [{ id: "a", command: "x", on_failure: "explode" }] }],
  [{ name: "w", steps: [{ id: "a", command: "x", depends_on: "b" }] }],
])("the schema and the checker both refuse %j", (document) => {
  expect(misfits(jsonSchema("lobsterx"), document)).not.toEqual([]);
  expect(readDefinition(JSON.stringify(document), EMPTY_CATALOG).problems).not.toEqual([]);
});
