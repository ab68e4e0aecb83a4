import { fail, type Json, type Outcome, type TreePath } from "../base/index.ts";
import { parseExpression, parsePath, type SyntaxProblem } from "../expression/index.ts";
import { parseValue, type Value, valueStyle } from "../template/index.ts";
import type { Report } from "./report.ts";
import { anyJson, byKind, refine, refuseType, type Shape } from "./shape.ts";
import { reportFlaw } from "./text-shape.ts";

/** Elements are values like inputs. A text in a list is always literal text, also when it equals a step's name. */
const LITERAL = valueStyle(() => false);

/** The list of `for_each`: a path, an expression, or the elements themselves. */
export const listValue: Shape<Value> = byKind("a path, an expression or a list", {
  text: {
    read: (value, path, report) => (typeof value === "string" ? readText(value, path, report) : undefined),
    schema: { type: "string" },
  },
  list: refine(anyJson, readLiteral),
  map: refine(anyJson, (value, path, report) => {
    const read = readLiteral(value, path, report);
    if (read === undefined || read.kind === "expression") return read;
    return refuseType(path, report, "a path, an expression or a list", value, "Write for_each: {expr: …}, or a list.");
  }),
});

function readText(text: string, path: TreePath, report: Report): Value | undefined {
  const reference = parsePath(text);
  if (reference.ok) return { kind: "reference", path: reference.value };
  const parsed = parseCalculation(text, reference.failure);
  if (parsed.ok) return parsed.value;
  reportFlaw("bad_expression", parsed.failure, path, report);
  return undefined;
}

/** Parses a calculation, with or without `${…}`. If it fails, returns the problem of the reading (path or expression) that got further. */
function parseCalculation(text: string, asPath: SyntaxProblem): Outcome<Value, SyntaxProblem> {
  const template = parseValue(text, LITERAL);
  if (template.ok && template.value.kind === "template" && template.value.template.parts.length === 1) return template;
  const parsed = parseExpression(text);
  if (parsed.ok) return { ok: true, value: { kind: "expression", expression: parsed.value } };
  return fail(parsed.failure.code !== undefined || parsed.failure.position > asPath.position ? parsed.failure : asPath);
}

function readLiteral(value: Json, path: TreePath, report: Report): Value | undefined {
  const parsed = parseValue(value, LITERAL);
  if (parsed.ok) return parsed.value;
  reportFlaw(parsed.failure.code, parsed.failure, [...path, ...parsed.failure.path], report);
  return undefined;
}
