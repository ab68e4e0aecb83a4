/** Dependencies by outcome: the steps that a step handles, its join, and the checks of impossible combinations. */
import type { TreePath } from "../base/index.ts";
import type { Known } from "../expression/index.ts";
import { ERROR_FACTS } from "./step-fact.ts";
import type { Step } from "./definition.ts";
import { isWritten } from "./record.ts";
import type { Report } from "./report.ts";
import type { Located } from "./shape.ts";
import type { MentionField } from "./mention.ts";
import type { StepDraft } from "./step-draft.ts";
import type { StepScope } from "./step-scope.ts";
import type { RawStep } from "./step-shape.ts";

/** Returns the settings that differ from the default, which is to wait for the success of all dependencies. */
export function outcomesOf({ raw }: StepDraft): Pick<Step, "outcomes" | "join"> {
  const written = raw.depends_on ?? [];
  const outcomes = written.flatMap(({ read: { step, on } }) => (on === "success" ? [] : [[step, on] as const]));
  return { ...(outcomes.length === 0 ? {} : { outcomes: Object.fromEntries(outcomes) }), ...joinOf(raw) };
}

/** Returns the join. Empty when the step waits for all dependencies. */
export function joinOf({ join = null, race = false }: Pick<RawStep, "join" | "race">): Pick<Step, "join"> {
  return join === null ? {} : { join: { count: join, isRace: race } };
}

/** Reports `race` without a `join`. */
export function checkRace({ read, raw, path }: Located<Pick<RawStep, "join" | "race">>, report: Report): void {
  const isJoinBroken = read.join === undefined && isWritten(raw, "join");
  if (read.race !== true || isJoinBroken || (read.join ?? null) !== null) return;
  const message = `"race" has no effect without "join: any" or a number: the step waits for all its dependencies.`;
  report.problem("bad_join", [...path, "race"], message, { isAtKey: true, hint: "Add join: any, or remove race." });
}

export function checkOutcomes(
  draft: StepDraft,
  dependencies: readonly string[],
  scope: StepScope,
  report: Report,
): void {
  checkHandled(draft, scope, report);
  const named = (draft.raw.depends_on ?? []).map(({ read }) => read.step).filter((id) => id !== draft.id);
  const count = new Set([...dependencies, ...named]).size;
  if (draft.unresolvedLibraryStep === null) checkJoin(draft.raw.join, count, [...draft.path, "join"], report);
}

/** Reports a `join` that is larger than the number of dependencies. */
export function checkJoin(join: RawStep["join"], count: number, at: TreePath, report: Report): void {
  if (join === undefined || join === null || join <= count) return;
  const message = `"join" waits for ${join} to complete, and it depends on ${count}.`;
  const hint = count === 0 ? "Say what it depends on, or remove join." : `Write a number from 1 to ${count}.`;
  report.problem("bad_join", at, message, { hint });
}

function checkHandled(draft: StepDraft, scope: StepScope, report: Report): void {
  const seen = new Map<string, boolean>();
  for (const { read, path } of draft.raw.depends_on ?? []) {
    const { step, on, isMap } = read;
    const earlier = seen.get(step);
    seen.set(step, isMap || earlier === true);
    if (earlier !== undefined && (earlier || isMap)) {
      const message = `Step "${step}" is waited for twice.`;
      const hint = "Keep one of them; on: settled is success and failure in one.";
      report.problem("bad_handler", isMap ? [...path, "step"] : path, message, { hint });
      continue;
    }
    const why = on === "failure" ? whyNeverFailed(scope.draftOf(step)) : undefined;
    if (why === undefined) continue;
    const message = `There is never a failure of "${step}" to handle: ${why}.`;
    const hint = "Remove one of them, or write on: settled.";
    report.problem("bad_handler", [...path, "on"], message, { hint });
  }
}

function whyNeverFailed(target: StepDraft | undefined): string | undefined {
  if (target?.raw.on_failure?.word === "skip") return "with on_failure: skip it is skipped instead";
  const work = target?.work?.kind;
  return work === "cancel" || work === "fail" ? `with "${work}" it ends the run` : undefined;
}

/** Checks whether the field can read the error of a step: in steps that run after its failure, and in outputs of the document. */
export function seesErrorOf(draft: StepDraft, step: string, field: MentionField): boolean {
  if (field === "outputs") return true;
  return (draft.raw.depends_on ?? []).some(({ read }) => read.step === step && read.on !== "success");
}

/** Adds `error` to the fields of a step. A step that declares an output of that name keeps its own. */
export function withError(known: Known): Known {
  if (known.kind !== "object" || known.fields.has("error")) return known;
  return { ...known, fields: new Map([...known.fields, ["error", ERROR_FACTS]]) };
}
