import { LIMITS, type TreePath } from "../base/index.ts";
import { parsePath } from "../expression/index.ts";
import type { Report } from "./report.ts";
import { anyText, joinWords, nameOf, quote, refine, word, type Shape } from "./shape.ts";
import { givenName } from "./text-shape.ts";

/** Reserved words at the head or as the second part of a reference. */
const REFERENCE_WORDS = ["outputs", "stdout", "json", "approved"];
const RESERVED: ReadonlySet<string> = new Set([
  ...REFERENCE_WORDS,
  ...Object.getOwnPropertyNames(Object.prototype),
  "prototype",
]);

interface IdRule {
  readonly expected: string;
  readonly pattern: RegExp;
  readonly joint: "_" | "-";
}

function idShape(rule: IdRule): Shape<string> {
  const fix = (text: string): string => joinWords(text, rule.joint);
  const shape = word({ ...rule, fix, code: "bad_id", lengthMax: LIMITS.idLengthMax });
  return {
    read(value, path, report) {
      const text = anyText.read(value, path, report);
      if (text === undefined || refuseReserved(text, path, report)) return undefined;
      return shape.read(text, path, report);
    },
    schema: { ...shape.schema, not: { enum: [...RESERVED] } },
  };
}

function refuseReserved(text: string, path: TreePath, report: Report): boolean {
  if (!RESERVED.has(text)) return false;
  const message = `${nameOf(path)} cannot be ${quote(text)}: the word is reserved.`;
  report.problem("reserved_id", path, message, { hint: `Call it ${text.replace(/^_+|_+$/g, "")}_step, for example.` });
  return true;
}

export const stepId: Shape<string> = idShape({
  expected: `a lower-case letter followed by lower-case letters, digits or _, at most ${LIMITS.idLengthMax} characters`,
  pattern: /^[a-z][a-z0-9_]*$/,
  joint: "_",
});

/** Allows digits at the start, because graphs are often drawn by tools that number their nodes or use UUIDs. */
export const lensNodeId: Shape<string> = idShape({
  expected: `letters, digits, _ or -, at most ${LIMITS.idLengthMax} characters`,
  pattern: /^[A-Za-z0-9_-]+$/,
  joint: "-",
});

export const edgeId: Shape<string> = word({
  expected: `a text that is not blank, at most ${LIMITS.idLengthMax} characters`,
  code: "bad_id",
  lengthMax: LIMITS.idLengthMax,
});

/** Accepts only a name that a reference can spell, because no other name could be used. `what` in messages: "an arg". */
export function spellableName(what: string): Shape<string> {
  return refine(givenName, (name, path, report) => {
    const parsed = parsePath(name);
    const isSpellable = parsed.ok && parsed.value.segments.length === 1 && parsed.value.segments[0] === name;
    if (isSpellable && name.length <= LIMITS.nameLengthMax) return name;
    const expected = `a letter or _ followed by letters, digits or _, at most ${LIMITS.nameLengthMax} characters`;
    const message = `The name of ${what} must be ${expected}, but it is ${quote(name)}.`;
    report.problem("bad_name", path, message, { isAtKey: true });
    return undefined;
  });
}
