export type {
  Expression,
  ExpressionFailure,
  ParsedExpression,
  Path,
  ResolvePath,
  SyntaxProblem,
} from "./expression.ts";
export { evaluate, evaluateCondition } from "./evaluate.ts";
export { matchMember } from "./member.ts";
export { parseExpression } from "./parse.ts";
export { parsePath, scanReference } from "./path.ts";
export { scanBraced, type FoundReference } from "./braced.ts";
export { findTypeMismatch, findUndecidable, inferKnown, type TypeMismatch } from "./type-mismatch.ts";
export { FUNCTIONS, signatureOf, type FunctionEntry } from "./function/index.ts";
export { instantOf } from "./function/moment.ts";
export { mapPaths, readsPaths } from "./tree.ts";
export { KIND_PHRASES } from "./kind.ts";
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
