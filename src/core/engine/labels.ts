import { type Json, type JsonObject, jsonToText, LIMITS } from "../base/index.ts";
import { evaluate, type ResolvePath, walk } from "../expression/index.ts";
import type { Plan } from "../plan/index.ts";
import { isExpression, renderStepTemplate, type StepReference, type Value } from "../template/index.ts";

export type RunLabels = Readonly<Record<string, string>>;

/** The values a label may read: everything known before the first step. */
export interface LabelFacts {
  readonly runId: string;
  readonly workflow: string;
  readonly args: JsonObject;
}

/**
 * Returns the labels of a run: those its workflow declares, and those its starter gave, which take precedence. A label
 * without
 * a value is left out, so that no run fails because of a label.
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

/** Returns the text of a label, or an empty text when it has no value. */
export function textOfLabel(found: Json | undefined): string {
  // Control characters and unpaired surrogates cannot be searched for, and not every store can hold them.
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
