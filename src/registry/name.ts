import { LIMITS, SECRET_NAME } from "../core/base/index.ts";
import type { ManifestKind } from "./kind.ts";
import { shown, specProblem, type SpecProblem } from "./spec-problem.ts";

interface NameRule {
  readonly pattern: RegExp;
  readonly lengthMax: number;
  readonly expected: string;
}

const PLAIN: NameRule = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._:@-]*$/,
  lengthMax: LIMITS.nameLengthMax,
  expected: "letters, digits and . _ - : @, a letter or digit first",
};

const RULES: Readonly<Partial<Record<ManifestKind, NameRule>>> = {
  Gateway: {
    pattern: /^[a-z][a-z0-9-]*$/,
    lengthMax: LIMITS.nameLengthMax,
    expected: "lower-case letters, digits and dashes, a letter first",
  },
  Workflow: {
    pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
    lengthMax: LIMITS.nameLengthMax,
    expected: "kebab-case, such as vendor-risk-review",
  },
  Secret: {
    pattern: SECRET_NAME,
    lengthMax: LIMITS.nameLengthMax,
    expected: "letters, digits, _ and -, a letter or _ first",
  },
  // Long enough and with the characters that vendors use in model names.
  Model: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._:@/+-]*$/,
    lengthMax: 200,
    expected: "letters, digits and . _ - : @ / +, a letter or digit first",
  },
};

/** Members of every object; an entry with such a name might be mistaken for one of them. */
const RESERVED: ReadonlySet<string> = new Set([...Object.getOwnPropertyNames(Object.prototype), "prototype"]);

export function nameProblems(kind: ManifestKind, name: string): readonly SpecProblem[] {
  const { pattern, lengthMax, expected } = RULES[kind] ?? PLAIN;
  if (pattern.test(name) && name.length <= lengthMax && !RESERVED.has(name)) return [];
  if (RESERVED.has(name)) {
    const problem = specProblem("reserved_id", ["name"], `"${name}" cannot be a name.`, {
      hint: "Choose another name.",
    });
    return [{ ...problem, isAboutName: true }];
  }
  const what = name.length > lengthMax ? `it has ${name.length} characters` : `it is ${shown(name)}`;
  const message = `"name" must be at most ${lengthMax} characters of ${expected}, but ${what}.`;
  return [{ ...specProblem("bad_name", ["name"], message), isAboutName: true }];
}
