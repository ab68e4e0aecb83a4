import type { Expression, ParsedExpression, Path } from "../expression/index.ts";

/** The same expression with some paths under another text; texts not in the map stay. */
export function renamePaths(expression: ParsedExpression, names: ReadonlyMap<string, string>): ParsedExpression {
  const renamePath = (path: Path): Path => {
    const text = names.get(path.text);
    return text === undefined ? path : { ...path, text };
  };
  return {
    text: expression.text,
    root: renameIn(expression.root, renamePath),
    paths: expression.paths.map(renamePath),
  };
}

function renameIn(expression: Expression, renamePath: (path: Path) => Path): Expression {
  switch (expression.kind) {
    case "literal":
      return expression;
    case "path":
      return { kind: "path", path: renamePath(expression.path) };
    case "list":
      return { kind: "list", items: expression.items.map((item) => renameIn(item, renamePath)) };
    case "not":
      return { kind: "not", operand: renameIn(expression.operand, renamePath) };
    case "and":
    case "or":
    case "compare":
      return {
        ...expression,
        left: renameIn(expression.left, renamePath),
        right: renameIn(expression.right, renamePath),
      };
    case "in":
      return {
        kind: "in",
        value: renameIn(expression.value, renamePath),
        list: renameIn(expression.list, renamePath),
      };
  }
}
