/** `outputs` of the document: the outputs of a run. */
import { isJsonObject, type Json, type TreePath } from "../base/index.ts";
import { pathsOfValue } from "../template/index.ts";
import type { RunOutput } from "./definition.ts";
import { runOutputField } from "./field-shape.ts";
import { guardsOf } from "./function-step.ts";
import type { Report } from "./report.ts";
import { spellableName } from "./identifier.ts";
import { mapOf, type Shape } from "./shape.ts";
import type { Mention } from "./mention.ts";
import type { StepDraft } from "./step-draft.ts";
import { type KnownNames, readValue } from "./step-value.ts";

/** An output as written: a value, or a map that also declares its type. */
export interface WrittenOutput extends Pick<RunOutput, "field"> {
  readonly value: Json;
  readonly isWhole: boolean;
}

export const runOutput: Shape<WrittenOutput> = {
  read(value, path, report) {
    if (!isJsonObject(value) || !Object.hasOwn(value, "value")) return { value, field: null, isWhole: true };
    const read = runOutputField.read(value, path, report);
    return read?.value === undefined ? undefined : { value: read.value, field: read.field, isWhole: false };
  },
  schema: { anyOf: [runOutputField.schema, { description: "A value as in inputs." }] },
};

export const runOutputs = mapOf(runOutput, spellableName("an output"));

/** Reads the outputs. Their references are treated as those of a step after all others. */
export function readRunOutputs(
  written: Readonly<Record<string, WrittenOutput>>,
  names: KnownNames,
  report: Report,
  path: TreePath = [],
): { readonly outputs: Readonly<Record<string, RunOutput>> | null; readonly draft: StepDraft } {
  const outputs: [string, RunOutput][] = [];
  const mentions: Mention[] = [];
  for (const [name, { value: raw, field, isWhole }] of Object.entries(written)) {
    const about = [...path, "outputs", name];
    const at = isWhole ? about : [...about, "value"];
    const value = readValue(raw, at, names, report);
    if (value === undefined) continue;
    outputs.push([name, { value, field }]);
    for (const found of pathsOfValue(value, at))
      mentions.push({ path: found.path, field: "outputs", about, at: found.at });
  }
  const values = Object.fromEntries(outputs.map(([name, { value }]) => [name, value]));
  return {
    outputs: outputs.length === 0 ? null : Object.fromEntries(outputs),
    draft: draftOf(mentions, values, written, path),
  };
}

function draftOf(
  mentions: readonly Mention[],
  values: StepDraft["with"],
  written: Readonly<Record<string, WrittenOutput>>,
  path: TreePath,
): StepDraft {
  return {
    raw: {},
    path,
    id: null,
    inputs: {},
    outputs: null,
    forEach: null,
    ...guardsOf({}, null),
    with: values,
    filled: {
      field: "outputs",
      at: (name) =>
        written[name]?.isWhole === false ? [...path, "outputs", name, "value"] : [...path, "outputs", name],
    },
    work: null,
    unresolvedLibraryStep: null,
    brokenNames: new Set(),
    isForEachBroken: false,
    conditionPath: [],
    mentions,
    title: null,
    blocks: [],
  };
}
