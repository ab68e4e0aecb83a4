import { didYouMean, fail, required, succeed, type Outcome } from "../base/index.ts";
import { type Cursor, isMark, isTooDeep, notClosed, peek, peekAt, tooDeep } from "./cursor.ts";
import type { Argument, Expression, Lambda, Path, SyntaxProblem } from "./expression.ts";
import { FOREIGN_FUNCTIONS } from "./foreign.ts";
import { findFunction, FUNCTION_NAMES, type FunctionEntry, parameterAt, signatureOf } from "./function/index.ts";
import type { ParseInner } from "./parse-operand.ts";
import type { Token } from "./token.ts";

const PLAIN_NAME = /^[\p{L}_]/u;

/** Parses a call, starting at its opening bracket. Function names are recognised only here, so a step may be called `count`. */
export function parseCall(
  cursor: Cursor,
  path: Path,
  depth: number,
  parseInner: ParseInner,
): Outcome<Expression, SyntaxProblem> {
  const open = peek(cursor);
  const { position } = path;
  if (path.segments.length > 1 || !PLAIN_NAME.test(path.text)) return fail(notCallable(path));
  const entry = findFunction(path.text);
  if (entry === undefined) return fail(unknownFunction(path));
  if (isTooDeep(depth)) return fail(tooDeep(open.position));
  cursor.at += 1;
  const args: Argument[] = [];
  let hasMore = !isMark(peek(cursor), ")");
  while (hasMore) {
    const argument = parseArgument(cursor, entry, args.length, depth + 1, parseInner);
    if (!argument.ok) return argument;
    args.push(argument.value);
    hasMore = isMark(peek(cursor), ",");
    if (hasMore) cursor.at += 1;
  }
  if (!isMark(peek(cursor), ")")) return fail(notClosed(cursor, open, ")"));
  cursor.at += 1;
  const flaw = checkCount(entry, args.length, position) ?? entry.check?.(args);
  return flaw === undefined ? succeed({ kind: "call", name: entry.name, args, position }) : fail(flaw);
}

function parseArgument(
  cursor: Cursor,
  entry: FunctionEntry,
  index: number,
  depth: number,
  parseInner: ParseInner,
): Outcome<Argument, SyntaxProblem> {
  const token = peek(cursor);
  const { position } = token;
  const parameters = parametersAt(cursor);
  const wanted = parameterAt(entry, index)?.lambda;
  if (parameters === undefined) {
    if (wanted === undefined) return parseInner(cursor, depth);
    return fail({
      message: `${entry.name} takes a lambda such as x => x.name as its ${ORDINALS[index] ?? "next"} argument`,
      position,
      hint: `write ${signatureOf(entry)}`,
    });
  }
  if (wanted === undefined || parameters.names.length > wanted) {
    const message =
      wanted === undefined
        ? `${entry.name} takes no lambda (=>) here`
        : `a lambda for ${entry.name} has at most ${wanted} ${wanted === 1 ? "name" : "names"}`;
    return fail({ message, position, hint: `write ${signatureOf(entry)}` });
  }
  const twice = parameters.names.find((name, at) => parameters.names.indexOf(name) !== at);
  if (twice !== undefined) return fail({ message: `"${twice}" names two things at once`, position });
  cursor.at += parameters.tokens;
  const slot = cursor.locals.length;
  cursor.locals.push(...parameters.names);
  const body = parseInner(cursor, depth);
  cursor.locals.length = slot;
  if (!body.ok) return body;
  const lambda: Lambda = { kind: "lambda", parameters: parameters.names, slot, body: body.value, position };
  return succeed(lambda);
}

/** Reads lambda parameters at this position: `x =>` or `(a, b) =>`. */
function parametersAt(cursor: Cursor): { readonly names: readonly string[]; readonly tokens: number } | undefined {
  const single = nameOf(peek(cursor));
  if (single !== undefined) return isMark(peekAt(cursor, 1), "=>") ? { names: [single], tokens: 2 } : undefined;
  if (!isMark(peek(cursor), "(")) return undefined;
  const names: string[] = [];
  let ahead = 1;
  for (;;) {
    const name = nameOf(peekAt(cursor, ahead));
    if (name === undefined) return undefined;
    names.push(name);
    if (isMark(peekAt(cursor, ahead + 1), ")")) break;
    if (!isMark(peekAt(cursor, ahead + 1), ",")) return undefined;
    ahead += 2;
  }
  return isMark(peekAt(cursor, ahead + 2), "=>") ? { names, tokens: ahead + 3 } : undefined;
}

function nameOf(token: Token | undefined): string | undefined {
  if (token?.kind !== "path" || token.path.segments.length > 1) return undefined;
  return PLAIN_NAME.test(token.text) ? token.text : undefined;
}

const ORDINALS = ["first", "second", "third"];

function checkCount(entry: FunctionEntry, count: number, position: number): SyntaxProblem | undefined {
  const { parameters } = entry;
  const least = parameters.filter((parameter) => parameter.isOptional !== true).length;
  const most = parameters.at(-1)?.isRest === true ? Number.POSITIVE_INFINITY : parameters.length;
  if (count >= least && count <= most) return undefined;
  const wanted =
    least === most ? String(least) : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
  return {
    message: `${entry.name} takes ${wanted} ${wanted === "1" ? "argument" : "arguments"}, and ${count} ${count === 1 ? "is" : "are"} given`,
    position,
    hint: `write ${signatureOf(entry)}`,
  };
}

function notCallable(path: Path): SyntaxProblem {
  const last = String(path.segments.at(-1));
  const dot = path.text.lastIndexOf(`.${last}`);
  const name = FOREIGN_FUNCTIONS.get(last)?.name ?? last;
  const isMethod = dot > 0 && findFunction(name) !== undefined;
  return {
    message: `"${path.text}" cannot be called`,
    position: path.position,
    hint: isMethod
      ? `write ${name}(${path.text.slice(0, dot)}, …)`
      : "functions are called by their name, as in upper(name)",
  };
}

function unknownFunction(path: Path): SyntaxProblem {
  const name = required(path.segments[0], "a path has a head");
  const foreign = FOREIGN_FUNCTIONS.get(String(name));
  const meant = foreign?.hint ?? (foreign?.name === undefined ? undefined : `Did you mean "${foreign.name}"?`);
  return {
    code: "unknown_function",
    message: `there is no function "${path.text}"`,
    position: path.position,
    hint: meant ?? didYouMean(String(name), FUNCTION_NAMES) ?? "docs/reference/functions.md lists all functions",
  };
}
