import { mapPaths, type ParsedExpression } from "../expression/index.ts";

/** Returns the expression with some paths renamed. Texts that are not in the map stay. */
export function renamePaths(expression: ParsedExpression, names: ReadonlyMap<string, string>): ParsedExpression {
  return mapPaths(expression, (path) => {
    const text = names.get(path.text);
    return text === undefined ? path : { ...path, text };
  });
}
