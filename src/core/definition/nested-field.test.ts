import { describe, expect, it } from "vitest";
import { checkArgs } from "./args.ts";
import type { LobsterDefinition } from "./definition.ts";
import { EMPTY_CATALOG, readDefinition } from "./read-definition.ts";

const ORDERS = `
name: orders
args:
  order:
    type: object
    required: true
    properties:
      id: { type: string, required: true, pattern: "^o-" }
      lines:
        type: array
        minLength: 1
        items: { type: object, properties: { price: { type: number, required: true, minimum: 0 }, note: string } }
steps:
  - id: read
    command: Read \${order.lines[0].price}
    outputs:
      customer: { type: object, description: Who ordered, properties: { name: string, age: { type: integer, required: false } } }
  - id: greet
    command: Greet \${read.customer.name}
`;

function read(source: string): ReturnType<typeof readDefinition> {
  return readDefinition(source, EMPTY_CATALOG);
}

function problemsOf(source: string): readonly string[] {
  return read(source).problems.map(({ code, path }) => `${code} ${path}`);
}

function argProblems(order: object): readonly string[] {
  const { args } = read(ORDERS).definition as LobsterDefinition;
  const checked = checkArgs(args, { order: { ...order } });
  return checked.ok ? [] : checked.failure.map(({ code, path }) => `${code} ${path}`);
}

describe("nested fields", () => {
  it("are read at any depth, and required as the fields around them are", () => {
    expect(problemsOf(ORDERS)).toEqual([]);
    const { args, steps } = read(ORDERS).definition as LobsterDefinition;
    expect(args["order"]?.properties?.["lines"]).toEqual({
      type: "array",
      required: false,
      minLength: 1,
      items: {
        type: "object",
        properties: {
          price: { type: "number", required: true, minimum: 0 },
          note: { type: "string", required: false },
        },
      },
    });
    expect(steps[0]?.outputs?.["customer"]?.properties).toEqual({
      name: { type: "string", required: true },
      age: { type: "integer", required: false },
    });
  });

  it("are checked in args, with the place inside them", () => {
    expect(argProblems({ id: "o-1", lines: [{ price: 1 }] })).toEqual([]);
    expect(argProblems({ id: "o-1" })).toEqual([]);
    expect(argProblems({ lines: [] })).toEqual(["missing_field args.order.id", "bad_number args.order.lines"]);
    expect(argProblems({ id: "x", lines: [{ price: 1 }, { price: -1 }, { price: "2" }] })).toEqual([
      "bad_pattern args.order.id",
      "bad_number args.order.lines[1].price",
    ]);
    expect(argProblems({ id: "o-1", lines: [{ note: 1 }] })).toEqual([
      "missing_field args.order.lines[0].price",
      "wrong_type args.order.lines[0].note",
    ]);
  });

  it.each([
    ["Greet ${read.customer.nam}", "unknown_field steps[1].command"],
    ["Greet ${order.lines[0].cost}", "unknown_field steps[1].command"],
  ])("give names to check: %s", (text, problem) => {
    expect(problemsOf(ORDERS.replace("Greet ${read.customer.name}", text))).toEqual([problem]);
  });

  it.each([
    ["{ type: string, properties: { a: string } }", "conflicting_fields steps[0].outputs.x.properties"],
    ["{ type: object, items: { type: string } }", "conflicting_fields steps[0].outputs.x.items"],
    ["{ type: object, properties: { a: { type: money } } }", "bad_enum steps[0].outputs.x.properties.a.type"],
    ["{ type: object, properties: { a: { typ: string } } }", "unknown_key steps[0].outputs.x.properties.a.typ"],
    ["{ type: array, items: { type: array, items: {} } }", "missing_field steps[0].outputs.x.items.items.type"],
    ["{ type: object, properties: [a] }", "wrong_type steps[0].outputs.x.properties"],
  ])("%s is refused at its place", (output, problem) => {
    expect(problemsOf(`{"name": "n", "steps": [{id: s, command: c, outputs: {x: ${output}}}]}`)).toEqual([problem]);
  });
});
