/** `labels` of a document: names and short texts by which its runs are found. */
import { isJsonObject, type Json, LIMITS, type TreePath } from "../base/index.ts";
import { parseValue, pathsOfValue, type Value, type Values, valueStyle } from "../template/index.ts";
import type { ArgField } from "./field.ts";
import type { Report } from "./report.ts";
import { nameOf, quote, refuseType, type Shape } from "./shape.ts";
import { checkStartPath, labelFacts, type StartField } from "./start-fact.ts";

/** Contains no colon, because a search uses a colon after the name: `?label=customer:4711`. */
export const LABEL_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,62}$/;

const EXPECTED_NAME = "a letter followed by letters, digits, _, . or -, at most 63 characters";
const HINT = 'Write a text such as "${args.customer}", with args and facts of the run.';
const LITERAL = valueStyle(() => false);
const SCALARS = ["string", "number", "boolean"];

export const labelsShape: Shape<Values> = {
  read(value, path, report) {
    if (!isJsonObject(value)) return refuseType(path, report, "a map such as { customer: ${args.id} }", value);
    const names = Object.keys(value);
    if (names.length > LIMITS.labelsMax) {
      const message = `${nameOf(path)} has ${names.length} names; at most ${LIMITS.labelsMax} are allowed.`;
      report.problem("bad_label", path, message);
      return undefined;
    }
    const read = Object.entries(value).flatMap(([name, written]) => {
      const label = labelOf(name, written, [...path, name], report);
      return label === undefined ? [] : [[name, label] as const];
    });
    return Object.fromEntries(read);
  },
  schema: {
    type: "object",
    maxProperties: LIMITS.labelsMax,
    propertyNames: { pattern: LABEL_NAME.source },
    additionalProperties: { type: SCALARS },
  },
};

function labelOf(name: string, written: Json, at: TreePath, report: Report): Value | undefined {
  if (!LABEL_NAME.test(name)) {
    const message = `The name of a label must be ${EXPECTED_NAME}, but it is ${quote(name)}.`;
    report.problem("bad_label", at, message, { isAtKey: true });
    return undefined;
  }
  if (typeof written === "string" && written.length > LIMITS.labelTextLengthMax) {
    const message = `${nameOf(at)} has ${written.length} characters; at most ${LIMITS.labelTextLengthMax} are allowed.`;
    report.problem("bad_label", at, message);
    return undefined;
  }
  if (!SCALARS.includes(typeof written)) {
    report.problem("bad_label", at, `${nameOf(at)} must be a text, a number, true or false.`, { hint: HINT });
    return undefined;
  }
  const parsed = parseValue(written, LITERAL);
  if (parsed.ok) return parsed.value;
  const { message, position: offset } = parsed.failure;
  report.problem("bad_label", at, `${nameOf(at)} cannot be read: ${message}.`, { offset, hint: HINT });
  return undefined;
}

/** Checks the labels. They are fixed before any step runs, so only the args and facts of the run are known. Returns the args they use. */
export function checkRunLabels(
  labels: Values | undefined,
  args: Readonly<Record<string, ArgField>>,
  report: Report,
): readonly string[] {
  const facts = labelFacts(args);
  return Object.entries(labels ?? {}).flatMap(([name, value]) => {
    const field: StartField = { code: "bad_label", at: ["labels", name], hint: () => HINT };
    return [...pathsOfValue(value)].flatMap(({ path }) => checkStartPath(path, facts, field, report));
  });
}
