import type { Argument, Expression, ParsedExpression, Path } from "./expression.ts";

/** Returns the direct child expressions, including those in the bodies of lambdas. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "literal":
    case "path":
    case "local":
      return [];
    case "list":
      return node.items;
    case "object":
      return node.members.map(({ value }) => value);
    case "not":
    case "negate":
      return [node.operand];
    case "and":
    case "or":
    case "coalesce":
    case "compare":
    case "arithmetic":
      return [node.left, node.right];
    case "in":
      return [node.value, node.list];
    case "choice":
      return [node.condition, node.whenTrue, node.otherwise];
    case "index":
      return [node.target, node.index];
    case "field":
      return [node.target];
    case "slice":
      return [node.target, node.from, node.to].filter((part) => part !== null);
    case "call":
      return node.args.map((argument) => (argument.kind === "lambda" ? argument.body : argument));
  }
}

/** Checks whether the expression reads a value from outside. */
export function readsPaths(node: Expression): boolean {
  return node.kind === "path" || childrenOf(node).some(readsPaths);
}

/** Returns the same expression with its paths replaced. */
export function mapPaths({ text, root, paths }: ParsedExpression, change: (path: Path) => Path): ParsedExpression {
  return { text, root: mapNode(root, change), paths: paths.map(change) };
}

function mapNode(node: Expression, change: (path: Path) => Path): Expression {
  const map = (part: Expression): Expression => mapNode(part, change);
  switch (node.kind) {
    case "literal":
    case "local":
      return node;
    case "path":
      return { ...node, path: change(node.path) };
    case "list":
      return { ...node, items: node.items.map(map) };
    case "object":
      return { ...node, members: node.members.map(({ key, value }) => ({ key, value: map(value) })) };
    case "not":
    case "negate":
      return { ...node, operand: map(node.operand) };
    case "and":
    case "or":
    case "coalesce":
    case "compare":
    case "arithmetic":
      return { ...node, left: map(node.left), right: map(node.right) };
    case "in":
      return { ...node, value: map(node.value), list: map(node.list) };
    case "choice":
      return {
        ...node,
        condition: map(node.condition),
        whenTrue: map(node.whenTrue),
        otherwise: map(node.otherwise),
      };
    case "index":
      return { ...node, target: map(node.target), index: map(node.index) };
    case "field":
      return { ...node, target: map(node.target) };
    case "slice":
      return {
        ...node,
        target: map(node.target),
        from: node.from === null ? null : map(node.from),
        to: node.to === null ? null : map(node.to),
      };
    case "call":
      return { ...node, args: node.args.map((argument) => mapArgument(argument, map)) };
  }
}

function mapArgument(argument: Argument, map: (part: Expression) => Expression): Argument {
  return argument.kind === "lambda" ? { ...argument, body: map(argument.body) } : map(argument);
}
