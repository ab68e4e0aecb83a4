import type { Json } from "../base/index.ts";
import type { Expression, Path } from "../expression/index.ts";

type Argument = Extract<Expression, { readonly kind: "call" }>["args"][number];

/** Returns the canonical form of an expression. Positions are left out, and lambda parameters are identified by slot, not by name. */
export function canonicalExpression(node: Expression, pathOf: (path: Path) => Json): Json {
  const of = (inner: Expression): Json => canonicalExpression(inner, pathOf);
  switch (node.kind) {
    case "literal":
      return { literal: node.value };
    case "path":
      return { value: pathOf(node.path) };
    case "local":
      return { local: [node.slot, ...node.segments] };
    case "list":
      return { list: node.items.map(of) };
    case "object":
      return { object: node.members.map(({ key, value }) => [key, of(value)]) };
    case "not":
    case "negate":
      return { [node.kind]: of(node.operand) };
    case "and":
    case "or":
    case "coalesce":
      return { [node.kind]: [of(node.left), of(node.right)] };
    case "compare":
    case "arithmetic":
      return { [node.operator]: [of(node.left), of(node.right)] };
    case "in":
      return { in: [of(node.value), of(node.list)] };
    case "choice":
      return { choice: [of(node.condition), of(node.whenTrue), of(node.otherwise)] };
    case "index":
      return { index: [of(node.target), of(node.index)] };
    case "field":
      return { field: [of(node.target), node.name] };
    case "slice":
      return {
        slice: [of(node.target), node.from === null ? null : of(node.from), node.to === null ? null : of(node.to)],
      };
    case "call":
      return { call: [node.name, ...node.args.map((argument) => canonicalArgument(argument, of))] };
  }
}

function canonicalArgument(argument: Argument, of: (inner: Expression) => Json): Json {
  if (argument.kind !== "lambda") return of(argument);
  return { lambda: [argument.slot, argument.parameters.length, of(argument.body)] };
}
