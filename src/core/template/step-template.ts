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

/** A command or a text in `with`: `${path}` and `${expression}` are references, `$${` stands for a literal `${`, any other `$` is text. */
export function parseStepTemplate(text: string): Parsed {
  return cut(text, () => undefined);
}

/** `stdin` also takes `$step.stdout` and its like without braces; `$$step.stdout` stands for that literal text. */
export function parseStdin(text: string): Parsed {
  return cut(text, scanReference);
}

/** The reference when the whole text is nothing else: it then keeps its value instead of becoming text. */
export function isSingleReference(template: StepTemplate): StepReference | undefined {
  const [only] = template.parts;
  return template.parts.length === 1 && typeof only === "object" ? only : undefined;
}

/** One pass: what a reference yields is never looked at again. */
export function renderStepTemplate(template: StepTemplate, textOf: (reference: StepReference) => string): string {
  let rendered = "";
  for (const part of template.parts) rendered += typeof part === "string" ? part : textOf(part);
  return rendered;
}

export function isExpression(reference: StepReference): reference is ParsedExpression {
  return "root" in reference;
}

/** Every path in a text, also those inside expressions, in order. */
export function pathsOfTemplate(template: StepTemplate): readonly Path[] {
  return template.parts.flatMap((part) => {
    if (typeof part === "string") return [];
    return isExpression(part) ? part.paths : [part];
  });
}

/** Finds a reference without braces, or says that this `$` is text. */
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

/** What a `$` means: a reference, or a literal `$` with the number of characters it was written with. */
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
  // A code says that an expression was meant.
  if (problem.code !== undefined) return problem;
  const escape = "for a literal ${ write $${";
  return { ...problem, hint: problem.hint === undefined ? escape : `${problem.hint}; ${escape}` };
}
