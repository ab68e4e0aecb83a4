import { type Json, type JsonObject, jsonToText, LIMITS } from "../base/index.ts";
import { evaluate, type ResolvePath, walk } from "../expression/index.ts";
import type { Plan } from "../plan/index.ts";
import { isExpression, renderStepTemplate, type StepReference, type Value } from "../template/index.ts";

export type RunLabels = Readonly<Record<string, string>>;

/** What a label may read: all that is known before the first step. */
export interface LabelFacts {
  readonly runId: string;
  readonly workflow: string;
  readonly args: JsonObject;
}

/**
 * The labels of a run: those its workflow writes, and those its starter gave, which come first. A label without a value
 * is left out: no run fails because of one.
 */
export function labelsOf({ labels }: Pick<Plan, "labels">, facts: LabelFacts, given: RunLabels = {}): RunLabels {
  const { runId: id, workflow, args } = facts;
  const known: JsonObject = { args, run: { id, workflow, args }, ...args };
  const resolve: ResolvePath = ({ segments }) => walk(known, segments);
  const found = Object.entries(labels).flatMap(([name, value]) => {
    const text = textOfLabel(valueOf(value, resolve));
    return text === "" ? [] : [[name, text] as const];
  });
  const all = Object.entries({ ...given, ...Object.fromEntries(found), ...given });
  return Object.fromEntries(all.slice(0, LIMITS.labelsMax));
}

/** The text of a label; empty: there is none. */
export function textOfLabel(found: Json | undefined): string {
  // Control characters and halves of pairs can neither be asked for nor kept everywhere.
  return jsonToText(found)
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, " ")
    .trim()
    .slice(0, LIMITS.labelTextLengthMax)
    .replace(/\p{Cs}$/u, "");
}

function valueOf(value: Value, resolve: ResolvePath): Json | undefined {
  if (value.kind === "literal") return value.value;
  if (value.kind !== "template") return undefined;
  return renderStepTemplate(value.template, (reference) => jsonToText(read(reference, resolve)));
}

function read(reference: StepReference, resolve: ResolvePath): Json | undefined {
  if (!isExpression(reference)) return resolve(reference);
  const found = evaluate(reference.root, resolve);
  return found.ok ? found.value : undefined;
}
