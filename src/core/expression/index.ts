export type { Expression, ParsedExpression, Path, ResolvePath, SyntaxProblem } from "./expression.ts";
export { evaluateCondition } from "./evaluate.ts";
export { matchMember } from "./member.ts";
export { parseExpression } from "./parse.ts";
export { parsePath, scanBracedPath, scanReference, type FoundPath } from "./path.ts";
export { findUndecidable } from "./type-mismatch.ts";
export { KIND_PHRASES, type ValueKind } from "./kind.ts";
export { walk } from "./walk.ts";
export {
  ANY,
  ANY_OBJECT,
  BOOLEAN,
  closedObject,
  followPath,
  NUMBER,
  TEXT,
  valueKindOf,
  type DeadEnd,
  type Known,
} from "./known.ts";
