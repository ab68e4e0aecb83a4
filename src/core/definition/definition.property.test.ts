import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../base/index.ts";
import { checkArgs, EMPTY_CATALOG, readDefinition, suggest, type ArgField } from "./index.ts";

const RUNS = { numRuns: 200 };

const typeName = fc.constantFrom("string", "number", "integer", "boolean", "object", "array");
const outputs = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), typeName, { maxKeys: 3 });

/** Steps that only ever refer to steps before them, so that whatever is drawn is valid. */
const workflow: fc.Arbitrary<JsonObject> = fc
  .array(
    fc.record({
      parents: fc.array(fc.nat(), { maxLength: 4 }),
      kind: fc.constantFrom("command", "gate", "child", "each"),
      policy: fc.constantFrom("halt", "skip", "retry_once", "retry", "retry_once_then_escalate"),
      timeout: fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.constantFrom("90s", "2h")),
      outputs,
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((drawn) => ({ name: "drawn", args: { list: [] }, steps: drawn.map(makeStep) }));

interface Drawn {
  readonly parents: readonly number[];
  readonly kind: "command" | "gate" | "child" | "each";
  readonly policy: string;
  readonly timeout: number | string;
  readonly outputs: Readonly<Record<string, string>>;
}

function makeStep({ parents, kind, policy, timeout, outputs: declared }: Drawn, index: number): JsonObject {
  const ids = index === 0 ? [] : parents.map((parent) => `s${parent % index}`);
  const [first, second, third] = ids;
  const bodies: Readonly<Record<Drawn["kind"], JsonObject>> = {
    command: { command: second === undefined ? "do it" : `read \${${second}.json.x}` },
    gate: { approval: "required" },
    child: { workflow_ref: "other", with: third === undefined ? {} : { a: `\${${third}.stdout}` } },
    each: { command: "for ${item.name}", for_each: first === undefined ? "list" : `${first}.json.list` },
  };
  return {
    id: `s${index}`,
    on_failure: policy,
    timeout,
    depends_on: first === undefined ? [] : [first],
    ...(second === undefined ? {} : { stdin: `$${second}.stdout` }),
    ...(third === undefined ? {} : { condition: `$${third}.approved or ${third}.outputs != null` }),
    ...(Object.keys(declared).length === 0 || kind === "gate" ? {} : { outputs: declared }),
    ...bodies[kind],
  };
}

describe("definitions", () => {
  it("that are valid check clean, and depend exactly on what they name", () => {
    fc.assert(
      fc.property(workflow, (document) => {
        const { definition, problems } = readDefinition(JSON.stringify(document), EMPTY_CATALOG);
        expect(problems).toEqual([]);
        if (definition?.format !== "lobsterx") throw new Error("expected steps");
        const text = (document.steps as readonly JsonObject[]).map((step) => JSON.stringify(step));
        for (const [index, step] of definition.steps.entries()) {
          const own = text[index] ?? "";
          const named = definition.steps.filter(
            (other) => other.id !== step.id && new RegExp(`\\b${other.id}\\b`).test(own),
          );
          expect(step.dependencies).toEqual(named.map((other) => other.id).sort());
        }
      }),
      RUNS,
    );
  });

  it("never throw, whatever a file holds, and are there exactly when there is no problem", () => {
    const key = fc.constantFrom(
      "name",
      "steps",
      "args",
      "roles",
      "phases",
      "id",
      "command",
      "format",
      "inputs",
      "outputs",
      "retry",
      "nodes",
      "edges",
      "config",
      "x",
    );
    const { document } = fc.letrec<{ document: Json }>((tie) => ({
      document: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<Json>(null, true, 0, -1, 1e300, "", "a", "lens-graph/v1", "${a.b}", "$a.stdout", "((", "[[a"),
        fc.array(tie("document"), { maxLength: 4 }),
        fc.dictionary(key, tie("document"), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(document, (value) => {
        const { definition, problems } = readDefinition(
          JSON.stringify({ wrapped: value, ...(value as object) }),
          EMPTY_CATALOG,
        );
        expect(definition === null).toBe(problems.length > 0);
        const places = problems.map((problem) => problem.line * 1e6 + problem.column);
        expect(places).toEqual(places.toSorted((left, right) => left - right));
      }),
      RUNS,
    );
  });

  it("do not depend on being text or bytes", () => {
    fc.assert(
      fc.property(workflow, (document) => {
        const broken = JSON.stringify({ ...document, nmae: 1, timeout: "(" });
        const fromBytes = readDefinition(new TextEncoder().encode(broken), EMPTY_CATALOG);
        expect(fromBytes.problems).toEqual(readDefinition(broken, EMPTY_CATALOG).problems);
      }),
      { numRuns: 30 },
    );
  });
});

describe("args", () => {
  it("that were accepted are accepted again, unchanged", () => {
    const field: fc.Arbitrary<ArgField> = fc.record({
      type: fc.constantFrom("string", "number", "integer", "boolean", "object", "array"),
      required: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), field), fc.dictionary(fc.string(), fc.jsonValue()), (fields, given) => {
        const first = checkArgs(fields, given as JsonObject);
        if (first.ok) expect(checkArgs(fields, first.value)).toEqual(first);
      }),
      RUNS,
    );
  });
});

describe("suggestions", () => {
  it("are known words, and the word itself when it is known", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/)), fc.stringMatching(/^[a-z]{1,8}$/), (words, word) => {
        const found = suggest(word, words);
        if (words.includes(word)) expect(found).toBe(word);
        if (found !== undefined) expect(words).toContain(found);
        expect(suggest(word, words.toReversed())).toBe(found);
      }),
      RUNS,
    );
  });
});
