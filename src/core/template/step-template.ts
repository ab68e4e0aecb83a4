import { fail, succeed, type Outcome } from "../base/index.ts";
import {
  type FoundReference,
  type ParsedExpression,
  type Path,
  scanBraced,
  scanReference,
  type SyntaxProblem,
} from "../expression/index.ts";
import type { StepReference, StepTemplate } from "./template.ts";

type Parsed = Outcome<StepTemplate, SyntaxProblem>;

/** Parses a command or a text in `with`: `${path}` and `${expression}` are references, `$${` is a literal `${`, any other `$` is text. */
export function parseStepTemplate(text: string): Parsed {
  return cut(text, () => undefined);
}

/** Parses `stdin`, which also accepts `$step.stdout` and similar without braces; `$$step.stdout` is that text literally. */
export function parseStdin(text: string): Parsed {
  return cut(text, scanReference);
}

/** Returns the reference when it is the whole text. Its value is then kept instead of being converted to text. */
export function isSingleReference(template: StepTemplate): StepReference | undefined {
  const [only] = template.parts;
  return template.parts.length === 1 && typeof only === "object" ? only : undefined;
}

/** Renders in one pass: the value of a reference is never expanded again. */
export function renderStepTemplate(template: StepTemplate, textOf: (reference: StepReference) => string): string {
  let rendered = "";
  for (const part of template.parts) rendered += typeof part === "string" ? part : textOf(part);
  return rendered;
}

export function isExpression(reference: StepReference): reference is ParsedExpression {
  return "root" in reference;
}

/** Returns every path in a text, including those inside expressions, in order. */
export function pathsOfTemplate(template: StepTemplate): readonly Path[] {
  return template.parts.flatMap((part) => {
    if (typeof part === "string") return [];
    return isExpression(part) ? part.paths : [part];
  });
}

/** Finds a reference without braces. Returns undefined when the `$` is text. */
type ScanOpen = typeof scanReference;

function cut(text: string, scanOpen: ScanOpen): Parsed {
  const parts: (string | StepReference)[] = [];
  let literal = "";
  let from = 0;
  for (let at = text.indexOf("$"); at !== -1; at = text.indexOf("$", from)) {
    literal += text.slice(from, at);
    const found = readDollar(text, at, scanOpen);
    if (!found.ok) return found;
    if (typeof found.value === "number") {
      literal += "$";
      from = at + found.value;
      continue;
    }
    if (literal !== "") parts.push(literal);
    literal = "";
    parts.push(found.value.reference);
    from = found.value.end;
  }
  literal += text.slice(from);
  if (literal !== "") parts.push(literal);
  return succeed({ text, parts });
}

/** Returns the meaning of a `$`: a reference, or a literal `$` as the number of characters used to write it. */
function readDollar(text: string, at: number, scanOpen: ScanOpen): Outcome<FoundReference | number, SyntaxProblem> {
  if (text.startsWith("$${", at)) return succeed(2);
  if (text.startsWith("${", at)) {
    const braced = scanBraced(text, at);
    return braced.ok ? braced : fail(withEscapeHint(braced.failure));
  }
  if (text.startsWith("$$", at) && scanOpen(text, at + 1) !== undefined) return succeed(2);
  const open = scanOpen(text, at);
  return succeed(open === undefined ? 1 : { reference: open.path, end: open.end });
}

function withEscapeHint(problem: SyntaxProblem): SyntaxProblem {
  // A code means that the author intended an expression.
  if (problem.code !== undefined) return problem;
  const escape = "for a literal ${ write $${";
  return { ...problem, hint: problem.hint === undefined ? escape : `${problem.hint}; ${escape}` };
}
