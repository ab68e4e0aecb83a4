import { LIMITS, utf8Length, type Outcome, type ProblemCode, type TreePath } from "../base/index.ts";
import { parseExpression, parsePath, type ParsedExpression, type Path } from "../expression/index.ts";
import { compilePattern } from "../text/index.ts";
import {
  parseLensTemplate,
  parseStdin,
  parseStepTemplate,
  type LensTemplate,
  type StepTemplate,
} from "../template/index.ts";
import type { WorkflowRef } from "./definition.ts";
import { DURATION_TEXT, isSpan, parseDuration } from "./duration.ts";
import type { Report } from "./report.ts";
import { anyText, byKind, described, joinWords, nameOf, quote, refine, refuseType, word, type Shape } from "./shape.ts";

interface Flaw {
  readonly message: string;
  readonly position: number;
  readonly hint?: string;
  /** Set when the flaw has its own problem code. */
  readonly code?: ProblemCode;
}

/** A text with its own grammar. A flaw is reported at its character. */
function parsed<T>(code: ProblemCode, parse: (text: string) => Outcome<T, Flaw>): Shape<T> {
  return refine(anyText, (text, path, report) => {
    const outcome = parse(text);
    if (outcome.ok) return outcome.value;
    reportFlaw(code, outcome.failure, path, report);
    return undefined;
  });
}

export function reportFlaw(code: ProblemCode, flaw: Flaw, path: TreePath, report: Report): void {
  const message = `${nameOf(path)} cannot be read: ${flaw.message.replace(/\.$/, "")}.`;
  report.problem(flaw.code ?? code, path, message, { offset: flaw.position, hint: sentence(flaw.hint) });
}

function sentence(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
}

const expressionText: Shape<ParsedExpression> = described(parsed("bad_expression", parseExpression), {
  maxLength: LIMITS.expressionLengthMax,
});

/** A bare `true` is accepted, because YAML parses it as a boolean before it can be parsed as an expression. */
export const expression: Shape<ParsedExpression> = byKind("an expression", {
  text: expressionText,
  flag: {
    read: (value, path, report) => expressionText.read(String(value === true), path, report),
    schema: { type: "boolean" },
  },
});

export const reference: Shape<Path> = parsed("bad_expression", parsePath);

export const stdinText: Shape<StepTemplate> = parsed("bad_template", parseStdin);

export const lensText: Shape<LensTemplate> = parsed("bad_template", parseLensTemplate);

/** A blank command is accepted here. The caller knows whether a command is required. */
export const commandText: Shape<StepTemplate> = refine(
  parsed("bad_template", parseStepTemplate),
  (value, path, report) => {
    const bytes = utf8Length(value.text);
    if (bytes <= LIMITS.commandBytesMax) return value;
    const message = `${nameOf(path)} has ${bytes} bytes; at most ${LIMITS.commandBytesMax} are allowed.`;
    report.problem("bad_template", path, message, { hint: "Hand long material over as an input or through stdin." });
    return undefined;
  },
);

export const patternText: Shape<string> = refine(anyText, (text, path, report) => {
  const compiled = compilePattern(text);
  if (compiled.ok) return text;
  report.problem("bad_pattern", path, `${nameOf(path)} cannot be used: ${compiled.failure}.`);
  return undefined;
});

const DURATION_EXPECTED = "a number of seconds above 0 and up to 30 days";
const DURATION_HINT = "Write seconds as a number, or a text such as 90s, 15m, 2h, 3d.";

/** A duration in milliseconds, written as seconds or as a text with a unit. `code` is the problem code for an invalid one. */
export function durationOr(code: ProblemCode): Shape<number> {
  const read = (value: number | string, path: TreePath, report: Report): number | undefined => {
    const ms = parseDuration(value);
    if (ms !== undefined) return ms;
    const shown = typeof value === "string" ? quote(value) : String(value);
    const message = `${nameOf(path)} must be ${DURATION_EXPECTED}, but it is ${shown}.`;
    report.problem(code, path, message, { hint: DURATION_HINT });
    return undefined;
  };
  return byKind(DURATION_EXPECTED, {
    number: {
      read: (value, path, report) => (typeof value === "number" ? read(value, path, report) : undefined),
      schema: { type: "number", exclusiveMinimum: 0, maximum: 2_592_000 },
    },
    text: refine(described(anyText, { pattern: DURATION_TEXT.source }), read),
  });
}

export const duration = durationOr("bad_duration");

/** A number of milliseconds. */
export function milliseconds(isZeroAllowed: boolean): Shape<number> {
  const expected = `a whole number of milliseconds ${isZeroAllowed ? "from 0" : "above 0"} up to 30 days`;
  return {
    read(value, path, report) {
      if (typeof value !== "number") return refuseType(path, report, expected, value);
      const isFine = Number.isInteger(value) && (isSpan(value) || (isZeroAllowed && value === 0));
      if (isFine) return value;
      report.problem("bad_duration", path, `${nameOf(path)} must be ${expected}, but it is ${value}.`);
      return undefined;
    },
    schema: { type: "integer", minimum: isZeroAllowed ? 0 : 1, maximum: 2_592_000_000 },
  };
}

const KEBAB = "[a-z0-9]+(?:-[a-z0-9]+)*";

/** The name of a workflow or a library entry. */
export const kebabName: Shape<string> = word({
  expected: `a kebab-case name of at most ${LIMITS.nameLengthMax} characters, such as vendor-risk-review`,
  code: "bad_name",
  pattern: new RegExp(`^${KEBAB}$`),
  fix: (text) => joinWords(text, "-"),
  lengthMax: LIMITS.nameLengthMax,
});

/** A name that is defined elsewhere: a model, an agent, a role. */
export const givenName: Shape<string> = word({ expected: "a name that is not blank", code: "bad_name" });

export const workflowRef: Shape<WorkflowRef> = refine(
  word({
    expected: "name or name@version, such as dependency-audit@3",
    code: "bad_name",
    pattern: new RegExp(`^${KEBAB}(?:@[1-9][0-9]{0,8})?$`),
    lengthMax: LIMITS.nameLengthMax + 10,
  }),
  (text, path, report) => {
    const [name = "", version] = text.split("@");
    if (kebabName.read(name, path, report) === undefined) return undefined;
    return { name, version: version === undefined ? null : Number(version) };
  },
);
