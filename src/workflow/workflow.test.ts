import { describe, expect, it } from "vitest";
import { z } from "zod";
import { FUNCTIONS } from "../core/expression/index.ts";
import { EMPTY_CATALOG, readDefinition } from "../core/definition/index.ts";
import * as door from "./index.ts";
import {
  add,
  agent,
  and,
  at,
  child,
  choose,
  concurrency,
  divide,
  each,
  eq,
  expr,
  filter,
  finallyDo,
  gt,
  ifElse,
  isIn,
  labels,
  length,
  map,
  multiply,
  negate,
  not,
  or,
  orElse,
  ref,
  repeat,
  set,
  slice,
  subtract,
  sum,
  typed,
  workflow,
  WorkflowError,
} from "./index.ts";

/** The text of an expression. */
function shown(value: unknown): string {
  return String(value).replace(/^\$\{(.*)\}$/s, "$1");
}

function codeOf(build: () => unknown): unknown {
  try {
    build();
  } catch (thrown) {
    return thrown instanceof WorkflowError ? [thrown.code, thrown.path] : thrown;
  }
  return "nothing was thrown";
}

describe("a reference", () => {
  const value = ref<{ total: number; "odd name": string; rows: { price: number }[] }>("step");

  it("is text with braces, in a template and by itself", () => {
    expect(`Total ${value.total}`).toBe("Total ${step.total}");
    expect(String(value.rows[0]?.price)).toBe("${step.rows[0].price}");
    expect(JSON.stringify({ x: value.total })).toBe('{"x":"${step.total}"}');
    expect(shown(gt(value["odd name"], "a"))).toBe("step['odd name'] > 'a'");
  });

  it("is no number, no promise, no list and no function, and says so", () => {
    expect(codeOf(() => Number(value.total))).toEqual(["bad_reference", "step.total"]);
    expect(codeOf(() => (value.total as unknown as number) * 2)).toEqual(["bad_reference", "step.total"]);
    expect(codeOf(() => [...(value.rows as unknown as unknown[])])).toEqual(["bad_reference", "step.rows"]);
    expect(codeOf(() => (value.rows as unknown as unknown[]).map(String))).toEqual(["bad_reference", "step.rows.map"]);
    expect((value as unknown as { then: unknown }).then).toBeUndefined();
  });

  it("cannot be spread or listed, and says so, for its fields are not known", () => {
    expect(codeOf(() => ({ ...value }))).toEqual(["bad_reference", "step"]);
    expect(codeOf(() => Object.entries(value.rows))).toEqual(["bad_reference", "step.rows"]);
    const inner = workflow("inner", { args: z.object({ n: z.int() }) }, () => undefined);
    const whole = (): unknown => workflow("w", {}, () => void child("kid", inner, ref<{ n: number }>("step") as never));
    expect(codeOf(whole)).toEqual(["bad_reference", "step"]);
  });

  it("has any field, also one with the name of a method of objects", () => {
    const odd = ref<Record<string, string>>("step");
    const names = ["toString", "valueOf", "toJSON", "constructor", "length", "name", "call"] as const;
    expect(names.map((name) => shown(eq(odd[name] ?? "", "a")))).toEqual(names.map((name) => `step.${name} == 'a'`));
    expect([odd.toString(), JSON.stringify([odd])]).toEqual(["${step}", '["${step}"]']);
  });
});

describe("operators", () => {
  const [a, b, c] = [ref<number>("a"), ref<number>("b"), ref<number>("c")];
  const [p, q] = [ref<boolean>("p"), ref<boolean>("q")];

  it.each([
    [multiply(add(a, b), c), "(a + b) * c"],
    [subtract(a, subtract(b, c)), "a - (b - c)"],
    [divide(multiply(a, b), c), "a * b / c"],
    [negate(add(a, 1)), "-(a + 1)"],
    [add(a, -1), "a + -1"],
    [and(or(p, q), not(p)), "(p or q) and not p"],
    [not(eq(a, b)), "not a == b"],
    [eq(eq(a, b), true), "(a == b) == true"],
    [orElse(ifElse(p, a, b), c), "(p ? a : b) ?? c"],
    [isIn(a, [1, 2]), "a in [1, 2]"],
    [at(ref<number[]>("list"), add(a, 1)), "list[a + 1]"],
    [slice(ref<number[]>("list"), 1, 3), "list[1:3]"],
    [eq(ref<string>("name"), "it's\n"), "name == 'it\\'s\\n'"],
    [eq(ref<string>("name"), `x-${ref("a")}`), "name == 'x-' + string(a)"],
    [map(ref<{ n: number }[]>("rows"), (row) => ({ n: row.n, "a b": 1 })), "map(rows, x => {n: x.n, 'a b': 1})"],
    [
      map(ref<number[][]>("rows"), (row) => sum(filter(row, (n, i) => gt(n, i)))),
      "map(rows, x => sum(filter(x, (y, z) => y > z)))",
    ],
    [expr<number>("1 + 1"), "1 + 1"],
  ])("%#: %s", (value, text) => {
    expect(shown(value)).toBe(text);
    const source = JSON.stringify({ name: "t", steps: [{ id: "s", set: { x: { expr: text } } }] });
    expect(readDefinition(source, EMPTY_CATALOG).problems.filter(({ code }) => code === "bad_expression")).toEqual([]);
  });

  it("are complete: every function of expressions has its own name", () => {
    const missing = Object.values(FUNCTIONS)
      .flat()
      .filter(({ name }) => !Object.hasOwn(door, name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});

describe("a workflow", () => {
  it("is the document that a file would be", () => {
    const inner = workflow("inner", { args: z.object({ n: z.int() }) }, ({ args }) => ({ n: args.n }));
    const built = workflow(
      "outer",
      { args: z.object({ rows: z.array(z.object({ n: z.int() })) }) },
      ({ args, run }) => {
        concurrency({ key: "one", limit: 2 });
        labels({ of: run.id });
        const all = each("all", args.rows, (row) => {
          const inside = each("inside", [1, 2], (n) => set({ sum: add(row.n, n) }));
          return { sums: inside.items };
        });
        const last = repeat("last", ({ previous }) => set({ n: add(orElse(previous.n, 0), 1) }), {
          until: (outputs) => gt(outputs.n, 2),
        });
        choose("way", [{ when: gt(last.n, 1), steps: () => void agent("go", { command: "Go." }) }]);
        child("kid", inner, { n: last.n });
        set("quoted", { text: "all.outputs.items", map: { type: "note" }, expr: { expr: "1" } });
        finallyDo(({ run: ended }) => void agent("report", { command: `It is ${ended.outcome}` }));
        return { all: all.items, strict: typed(last.n, z.number().max(5)) };
      },
    );
    expect(built.definition).toEqual({
      name: "outer",
      args: {
        rows: {
          type: "array",
          required: true,
          items: { type: "object", properties: { n: { type: "integer", required: true } } },
        },
      },
      concurrency: { key: "'one'", limit: 2 },
      labels: { of: "${run.id}" },
      outputs: { all: "${all.items}", strict: { value: "${last.n}", type: "number", maximum: 5 } },
      steps: [
        {
          id: "all",
          for_each: "rows",
          steps: [{ id: "inside", for_each: [1, 2], as: "item2", set: { sum: "${item.n + item2}" } }],
          outputs: { sums: "${inside.items}" },
        },
        { id: "last", repeat: { until: "outputs.n > 2" }, set: { n: "${(previous.n ?? 0) + 1}" } },
        { id: "way", choose: [{ when: "last.n > 1", steps: [{ id: "go", command: "Go." }] }] },
        { id: "kid", workflow_ref: "inner", with: { n: "${last.n}" } },
        {
          id: "quoted",
          set: {
            text: { value: "all.outputs.items" },
            map: { value: { type: "note" } },
            expr: { value: { expr: "1" } },
          },
        },
      ],
      finally: [{ id: "report", command: "It is ${run.outcome}" }],
    });
    expect(readDefinition(JSON.stringify(built.definition), EMPTY_CATALOG).problems).toEqual([]);
  });

  it("hands on all of its args when they are spread or given as a whole", () => {
    const args = z.object({ a: z.string(), b: z.int() });
    const inner = workflow("inner", { args }, ({ args: given }) => ({ ...given }));
    const outer = workflow("outer", { args }, ({ args: given }) => void child("kid", inner, given));
    const values = { a: "${a}", b: "${b}" };
    expect(inner.definition["outputs"]).toEqual(values);
    expect(outer.definition["steps"]).toEqual([{ id: "kid", workflow_ref: "inner", with: values }]);
  });

  it("says what is wrong where it is built", () => {
    const build = (body: (context: { readonly args: unknown }) => unknown) => () =>
      workflow("w", { args: z.object({ a: z.string() }) }, body as () => void);
    expect(codeOf(() => agent("a", { command: "x" }))).toEqual(["outside_workflow", "agent()"]);
    expect(codeOf(build(() => void agent({ command: "x" })))).toEqual(["missing_id", "steps[0]"]);
    expect(codeOf(build(({ args }) => void (args as { b: string }).b))).toEqual(["bad_reference", "args.b"]);
    expect(codeOf(build(async () => undefined))).toEqual(["wrong_type", ""]);
    expect(codeOf(build(() => set("s", { at: new Date() })))).toEqual(["bad_value", "s.set.at"]);
    expect(codeOf(build(() => ref("x")))).toEqual(["wrong_type", "outputs"]);
    expect(codeOf(build(() => void agent("a", { command: "x", depends_on: [ref("a.b")] })))).toEqual([
      "wrong_type",
      "a.depends_on[0]",
    ]);
  });
});

const Tree = z.object({
  name: z.string(),
  get branches() {
    return z.array(Tree);
  },
});

describe("a schema", () => {
  it.each([
    ["a transform", z.object({ a: z.array(z.string().transform((text) => text.length)) }), "args.a[]"],
    ["a preprocess", z.object({ a: z.preprocess((x) => x, z.string()) }), "args.a"],
    ["a custom type", z.object({ a: z.object({ b: z.custom<string>() }) }), "args.a.b"],
    ["a refinement", z.object({ a: z.string().refine((text) => text !== "x") }), "args.a"],
    ["a codec", z.object({ a: z.codec(z.string(), z.number(), { decode: Number, encode: String }) }), "args.a"],
    ["a boolean made from a text", z.object({ a: z.array(z.stringbool()) }), "args.a[]"],
    ["a text that is trimmed", z.object({ a: z.string().trim() }), "args.a"],
    ["an open map of numbers", z.object({ a: z.record(z.string(), z.number()) }), "args.a"],
    ["a default inside an object", z.object({ a: z.object({ b: z.string().default("x") }) }), "args.a.b"],
    ["a default inside a list", z.object({ a: z.array(z.string().default("x")) }), "args.a[]"],
    ["an arg without a type", z.object({ a: z.unknown() }), "args.a"],
    ["a value in place of a wrong one", z.object({ a: z.int().catch(1) }), "args.a"],
    ["a lazy schema", z.object({ a: z.lazy(() => z.string()) }), "args.a"],
    ["a schema that refers to itself", z.object({ tree: Tree }), "args.tree.branches[]"],
    ["a date", z.object({ a: z.date().optional() }), "args.a"],
    ["two types", z.object({ a: z.union([z.string(), z.number()]) }), "args.a"],
    ["an open bound of numbers", z.object({ a: z.number().positive() }), "args.a"],
    ["a list at the top", z.array(z.string()) as unknown as z.ZodObject, "args"],
  ])("that is %s is refused with its path", (_title, args, path) => {
    expect(codeOf(() => workflow("w", { args }, () => undefined))).toEqual(["schema_unsupported", path]);
  });

  it("becomes fields, with what is inside them", () => {
    const args = z.object({
      text: z.string().min(1).max(9).regex(/^a/).describe("A text"),
      choice: z.union([z.literal("a"), z.literal("b")]).default("a"),
      count: z.int().positive(),
      maybe: z.number().min(0).nullable(),
      order: z.object({ id: z.string(), note: z.string().optional() }),
      rows: z.array(z.object({ n: z.int() })).min(1),
      open: z.record(z.string(), z.unknown()).default({}),
      mail: z.email(),
    });
    const built = workflow("w", { args }, ({ args: { text } }) => void agent("a", { command: `${text}` }));
    expect(built.definition["args"]).toEqual({
      text: { type: "string", minLength: 1, maxLength: 9, pattern: "^a", description: "A text", required: true },
      choice: { type: "string", enum: ["a", "b"], default: "a" },
      count: { type: "integer", minimum: 1, required: true },
      maybe: { type: "number", minimum: 0 },
      order: {
        type: "object",
        properties: { id: { type: "string", required: true }, note: { type: "string" } },
        required: true,
      },
      rows: {
        type: "array",
        minLength: 1,
        items: { type: "object", properties: { n: { type: "integer", required: true } } },
        required: true,
      },
      open: { type: "object", default: {} },
      mail: { type: "string", pattern: expect.any(String), required: true },
    });
    expect(readDefinition(JSON.stringify(built.definition), EMPTY_CATALOG).problems).toEqual([]);
  });

  it("with an id becomes the same fields wherever it stands", () => {
    const Item = z.object({ n: z.int() }).meta({ id: "Item" });
    const args = z.object({ one: Item, more: z.array(Item).default([]) });
    expect(workflow("w", { args }, () => undefined).definition["args"]).toEqual({
      one: { type: "object", properties: { n: { type: "integer", required: true } }, required: true },
      more: {
        type: "array",
        items: { type: "object", properties: { n: { type: "integer", required: true } } },
        default: [],
      },
    });
  });

  it("of another library is taken when it can print JSON Schema", () => {
    const schema = {
      "~standard": {
        version: 1 as const,
        vendor: "other",
        types: undefined as unknown as { input: { a: string }; output: { a: string } },
        jsonSchema: { input: () => ({ type: "object", properties: { a: { type: "string" } }, required: ["a"] }) },
      },
    };
    expect(workflow("w", { args: schema }, () => undefined).definition["args"]).toEqual({
      a: { type: "string", required: true },
    });
    const mute = { "~standard": { ...schema["~standard"], jsonSchema: undefined } };
    expect(codeOf(() => workflow("w", { args: mute }, () => undefined))).toEqual(["schema_unsupported", "args"]);
  });

  it("keeps what length() and the like need", () => {
    expect(shown(length(ref("list")))).toBe("length(list)");
  });
});
