/** Shapes of steps inside steps, as authors write them. */
import { LIMITS, type TreePath } from "../base/index.ts";
import type { ParsedExpression } from "../expression/index.ts";
import { isWritten, optional, record } from "./record.ts";
import type { Report } from "./report.ts";
import { runOutputs, type WrittenOutput } from "./run-output.ts";
import { list, type Located, located, refine, type Shape } from "./shape.ts";
import type { RawStep } from "./step-shape.ts";
import { expression, givenName } from "./text-shape.ts";

/** Reference to the schema of a step in the schema of a document. */
export const STEP_SCHEMA_REF = "#/$defs/step";

/** Returns the shape of nested steps. The shape of a step contains this one, so it is requested only when it is used. */
export function nestedSteps(stepOf: () => Shape<RawStep>): Shape<WrittenSteps> {
  const entry: Shape<Located<RawStep>> = {
    read: (value, path, report) => located(stepOf()).read(value, path, report),
    schema: { $ref: STEP_SCHEMA_REF },
  };
  return list(entry, { isFilled: true, limit: { max: LIMITS.nodesMax, code: "too_many_steps" } });
}

/** An interface and not a type alias, because steps can contain steps. */
export interface WrittenSteps extends ReadonlyArray<Located<RawStep>> {}

/** One alternative of `choose`. */
export interface WrittenBranch {
  readonly name: string;
  /** Null when the branch is taken if no other is. */
  readonly when: ParsedExpression | null;
  readonly steps: WrittenSteps;
  readonly outputs: Readonly<Record<string, WrittenOutput>>;
  /** Path of the branch. */
  readonly path: TreePath;
  /** The key that contains the steps of the branch. */
  readonly key: "steps" | "else";
}

export interface WrittenBranches extends ReadonlyArray<WrittenBranch> {}

export function chooseShape(stepOf: () => Shape<RawStep>): Shape<WrittenBranches> {
  const steps = nestedSteps(stepOf);
  const branch = record(
    {
      name: optional(
        givenName,
        "Value of the output branch when this branch is taken. Default: the position of the branch, from 0.",
      ),
      when: optional(expression, "Condition of the branch. The first branch whose condition is true is taken."),
      steps: optional(steps, "Steps of the branch."),
      else: optional(steps, "Steps that run when no condition is true. Only in the last branch."),
      outputs: optional(runOutputs, "Outputs of the branch: name → value. Default: the outputs of its last steps."),
    },
    { title: "a branch", foreign: BRANCH_WORDS },
  );
  return refine(list(located(branch), { isFilled: true }), (branches, _path, report) => {
    checkElse(branches, report);
    checkNames(branches, report);
    return branches.flatMap((written) => branchOf(written, report));
  });
}

const BRANCH_WORDS = new Map([
  ["if", "Write when: a.value == 1, or another expression."],
  ["condition", "Write when: a.value == 1, or another expression."],
  ["case", "Write when: a.value == 1, or another expression."],
  ["then", "Write steps: [ … ]."],
  ["do", "Write steps: [ … ]."],
  ["default", "Write else: [ … ]."],
  ["otherwise", "Write else: [ … ]."],
]);

interface RawBranch {
  readonly name?: string | undefined;
  readonly when?: ParsedExpression | undefined;
  readonly steps?: WrittenSteps | undefined;
  readonly else?: WrittenSteps | undefined;
  readonly outputs?: Readonly<Record<string, WrittenOutput>> | undefined;
}

function branchOf({ read, raw, path }: Located<RawBranch>, report: Report): readonly WrittenBranch[] {
  const key = isWritten(raw, "else") ? "else" : "steps";
  if (key === "else") {
    for (const other of ["when", "steps"]) {
      if (!isWritten(raw, other)) continue;
      const message = `"else" holds the steps for when no condition holds, so that "${other}" says nothing beside it.`;
      const hint = `Put "${other}" into a branch of its own.`;
      report.problem("conflicting_fields", [...path, other], message, { isAtKey: true, hint });
    }
  } else {
    for (const needed of ["when", "steps"]) {
      if (isWritten(raw, needed)) continue;
      const message = `A branch needs "when" and "steps", or "else": "${needed}" is missing.`;
      const hint = needed === "when" ? "Add when: …, or write else: [ … ]." : "Add steps: [ … ].";
      report.problem("missing_field", [...path, needed], message, { at: path, hint });
    }
  }
  const steps = read[key];
  if (steps === undefined) return [];
  const { name = String(path.at(-1)), when = null, outputs = {} } = read;
  return [{ name, when: key === "else" ? null : when, steps, outputs, path, key }];
}

function checkElse(branches: readonly Located<RawBranch>[], report: Report): void {
  const others = branches.filter(({ raw }) => isWritten(raw, "else"));
  const [first, ...more] = others;
  for (const { path } of more) {
    const message = `There is a second "else": only one branch is taken when no condition holds.`;
    const hint = "Keep one of them, or give this one a condition with when.";
    report.problem("duplicate_else", [...path, "else"], message, { isAtKey: true, hint });
  }
  if (first === undefined || more.length > 0 || first === branches.at(-1)) return;
  const message = `"else" is not the last branch: those after it could never be taken.`;
  report.problem("bad_choose", [...first.path, "else"], message, { isAtKey: true, hint: "Move it to the end." });
}

function checkNames(branches: readonly Located<RawBranch>[], report: Report): void {
  const seen = new Set<string>();
  for (const { read, path } of branches) {
    const name = read.name ?? String(path.at(-1));
    if (seen.has(name)) {
      const message = `Another branch is already called "${name}".`;
      const hint = "Give this one another name.";
      report.problem("duplicate_id", [...path, "name"], message, { at: path, hint });
    }
    seen.add(name);
  }
}
