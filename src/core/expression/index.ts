export type { Expression, ParsedExpression, Path, ResolvePath, SyntaxProblem } from "./expression.ts";
export { evaluate, evaluateCondition } from "./evaluate.ts";
export { matchMember } from "./member.ts";
export { parseExpression } from "./parse.ts";
export { parsePath, scanBracedPath, scanReference, type FoundPath } from "./path.ts";
export { findTypeMismatch } from "./type-mismatch.ts";
export type { ValueKind } from "./kind.ts";
export { walk } from "./walk.ts";
