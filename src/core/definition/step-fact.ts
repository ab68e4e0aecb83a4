import { closedObject, type Known, NUMBER, TEXT } from "../expression/index.ts";
import { knownOf } from "./declared.ts";
import type { ArgField } from "./field.ts";
import type { Report } from "./report.ts";
import type { MentionField } from "./mention.ts";
import type { StepDraft } from "./step-draft.ts";

/** Names of facts in every file, unless a step or an arg has the same name. */
const FACT_NAMES: ReadonlySet<string> = new Set(["run", "node", "error", "previous", "round"]);

const NODE_FACTS = closedObject([["attempt", NUMBER]]);

/** Fields of a failure, as `error` and as `step.error`. */
export const ERROR_FACTS = closedObject([
  ["code", TEXT],
  ["message", TEXT],
  ["attempts", NUMBER],
  ["class", TEXT],
]);

/** Facts that are known only after a run has ended. */
const OUTCOME_FACTS: readonly (readonly [string, Known])[] = [
  ["outcome", { kind: "text", enum: ["completed", "failed", "cancelled", "timed_out"] }],
  [
    "error",
    closedObject([
      ["code", TEXT],
      ["message", TEXT],
    ]),
  ],
];

/** Returns the known type of a fact. Undefined when the name is not a fact at this place. */
export function factKnown(
  head: string,
  field: MentionField,
  args: Readonly<Record<string, ArgField>>,
): Known | undefined {
  if (head === "node") return NODE_FACTS;
  if (head === "error" && field === "on_failure") return ERROR_FACTS;
  if (head !== "run") return undefined;
  const fields = Object.entries(args).map(([name, field]): [string, Known] => [name, knownOf(field)]);
  return closedObject([
    ["id", TEXT],
    ["started_at", TEXT],
    ["workflow", TEXT],
    ["args", closedObject(fields)],
    ...(field === "finally" ? OUTCOME_FACTS : []),
  ]);
}

/** Warns about a step or an arg with the name of a fact. The name then means the step or the arg. */
export function warnOfShadowedFacts(
  drafts: readonly StepDraft[],
  args: Readonly<Record<string, ArgField>>,
  report: Report,
): void {
  const hint = "Rename it if the fact is wanted as well.";
  for (const name of Object.keys(args)) {
    if (!FACT_NAMES.has(name)) continue;
    const message = `Arg "${name}" takes the place of the fact "${name}" in expressions.`;
    report.warning("shadowed_fact", ["args", name], message, { isAtKey: true, hint });
  }
  for (const { id, path } of drafts) {
    if (id === null || !FACT_NAMES.has(id)) continue;
    const message = `Step "${id}" takes the place of the fact "${id}" in expressions.`;
    report.warning("shadowed_fact", [...path, "id"], message, { hint });
  }
}
