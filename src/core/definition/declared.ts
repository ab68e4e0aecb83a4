import { ANY, BOOLEAN, closedObject, NUMBER, TEXT, ANY_OBJECT, type Known } from "../expression/index.ts";
import { type BlockDraft, leavesOf } from "./block-draft.ts";
import type { FieldType, LensField, LensFieldType, OutputContract, ValueField } from "./field.ts";
import type { StepDraft } from "./step-draft.ts";
import { hasWork } from "./work-fields.ts";
import type { Work } from "./work.ts";

/** Returns the known type of a declared value. */
export function knownOf(field: Omit<ValueField, "type"> & { readonly type?: FieldType | null }): Known {
  const { type, items, properties } = field;
  if (type === undefined || type === null) return ANY;
  if (type === "string") return field.enum === undefined ? TEXT : { kind: "text", enum: field.enum };
  if (type === "array") return { kind: "list", items: items === undefined ? ANY : knownOf(items) };
  if (type !== "object" || properties === undefined) return typed(type);
  return closedObject(Object.entries(properties).map(([name, property]) => [name, knownOf(property)]));
}

const FILE = closedObject([
  ["name", TEXT],
  ["mime", TEXT],
  ["size", NUMBER],
  ["sha256", TEXT],
]);

function typed(type: FieldType): Known {
  switch (type) {
    case "string":
      return TEXT;
    case "number":
    case "integer":
      return NUMBER;
    case "boolean":
      return BOOLEAN;
    case "object":
      return ANY_OBJECT;
    case "array":
      return { kind: "list", items: ANY };
    case "file":
      return FILE;
  }
}

/** Checks for a gate without work. It completes with the answer of the approval and nothing else. */
export function isPureGate({ raw, unresolvedLibraryStep }: StepDraft): boolean {
  const isGate = raw.approval === "required" || raw.hitl === true;
  return isGate && !hasWork(raw) && unresolvedLibraryStep === null;
}

/** Returns the variables a step declares: its outputs, or the values it sets. Of set values only the names are known here. */
export function declaredBy(draft: StepDraft): readonly (readonly [string, Known])[] {
  const { outputs, work, with: values, raw, blocks } = draft;
  if (raw.steps !== undefined) return declaredByBlock(blocks[0]);
  if (work?.kind === "set") return Object.keys(values).map((name) => [name, ANY]);
  return Object.entries(outputs ?? {}).map(([name, field]) => [name, knownOf(field)]);
}

/** Returns the outputs that a block declares by name. */
function declaredByBlock(block: BlockDraft | undefined): readonly (readonly [string, Known])[] {
  const outputs = Object.entries(block?.outputs ?? {});
  return outputs.map(([name, { field }]) => [name, field === null ? ANY : knownOf(field)]);
}

/** Returns the outputs of a block: the declared ones, otherwise the outputs of its last steps, by their ids. */
function outputsOfBlock(block: BlockDraft): Fields {
  if (block.outputs !== null) return declaredByBlock(block);
  return leavesOf(block).map((leaf) => [leaf.id ?? "", outputsOf(leaf, declaredBy(leaf))]);
}

/** Returns the outputs of several branches. If two branches have an output of the same name, its type is unknown. */
function outputsOfBlocks(blocks: readonly BlockDraft[]): Fields {
  const fields = new Map<string, Known>();
  for (const [name, known] of blocks.flatMap(outputsOfBlock)) fields.set(name, fields.has(name) ? ANY : known);
  return [...fields];
}

/** Added to the outputs when a failure was skipped by `on_failure: skip` or by a person. */
const SKIPPED_MARK: readonly [string, Known] = ["_skipped", BOOLEAN];

type Fields = readonly (readonly [string, Known])[];
/** Added to the outputs of a wait that continued without an event. */
const TIMED_OUT_MARK: [string, Known] = ["timed_out", BOOLEAN];

/** Returns `step.outputs` as other steps see it. A step with instances returns a list of theirs. */
export function outputsOf(draft: StepDraft, set: Fields): Known {
  if (draft.unresolvedLibraryStep !== null) return ANY;
  if (draft.isForEachBroken) return ANY;
  const own = draft.work?.kind === "set" ? closedObject([SKIPPED_MARK, ...set]) : ownOutputsOf(draft);
  if (draft.forEach !== null) {
    const items: Known = { kind: "list", items: own.kind === "object" && !own.isOpen ? own : ANY };
    return closedObject([["items", items], ["count", NUMBER], ["failed", NUMBER], SKIPPED_MARK]);
  }
  if (draft.raw.repeat !== undefined) return repeated(own, draft.raw.repeat.onExhausted);
  if (isPureGate(draft)) return closedObject([["approved", BOOLEAN], SKIPPED_MARK, ...entered(draft)]);
  return own;
}

/** Returns the outputs of the last round, with the number of rounds. */
function repeated(own: Known, onExhausted: "fail" | "continue"): Known {
  if (own.kind !== "object") return own;
  const marks: readonly [string, Known][] = onExhausted === "continue" ? [["exhausted", BOOLEAN]] : [];
  return { ...own, fields: new Map([...own.fields, ["rounds", NUMBER], ...marks]) };
}

/** Returns the form fields that a person enters at a gate. Outputs declared there without a form have no effect. */
function entered({ raw, outputs, brokenNames }: StepDraft): readonly (readonly [string, Known])[] {
  if (raw.form === undefined) return [];
  const broken = [...brokenNames].map((name) => [name, ANY] as const);
  return [...broken, ...Object.entries(outputs ?? {}).map(([name, field]) => [name, knownOf(field)] as const)];
}

/** Returns the outputs of one execution of the step: the declared outputs, and the inputs that are passed through. */
export function ownOutputsOf(draft: StepDraft): Known {
  const { inputs, outputs, brokenNames, blocks } = draft;
  if (blocks.length > 0) {
    const branch: Fields = draft.raw.choose === undefined ? [] : [["branch", TEXT]];
    return closedObject([SKIPPED_MARK, ...outputsOfBlocks(blocks), ...branch]);
  }
  const fields: [string, Known][] = [
    ...[...brokenNames].map((name): [string, Known] => [name, ANY]),
    ...Object.entries(inputs).map(([name, input]): [string, Known] => [name, knownOf(input)]),
    ...(draft.work?.kind === "wait" ? [TIMED_OUT_MARK] : []),
    ...Object.entries(outputs ?? {}).map(([name, output]): [string, Known] => [name, knownOf(output)]),
  ];
  if (draft.work?.kind === "cancel") fields.push(["reason", TEXT]);
  if (draft.work?.kind === "emit") fields.push(["id", TEXT], ["type", TEXT]);
  if (isDeclaring(draft)) return closedObject([SKIPPED_MARK, ...fields]);
  return { kind: "object", fields: new Map(fields), isOpen: true };
}

/** Checks whether the outputs are known only by declaration: those of a script, of a function, or of an event. */
function bringsOutputs(work: Work): boolean {
  return work.kind === "script" || work.kind === "function" || (work.kind === "wait" && "onTimeout" in work.wait);
}

/** Checks whether all outputs are known. Without declared outputs, the result of an agent is not known. */
function isDeclaring({ outputs, work, unresolvedLibraryStep, blocks }: StepDraft): boolean {
  if (blocks.length > 0) return true;
  if (work !== null && !bringsOutputs(work)) return true;
  return unresolvedLibraryStep === null && outputs !== null && Object.keys(outputs).length > 0;
}

/** Returns the fields of `step.…`: the reserved parts, `outputs`, and the outputs themselves. */
export function stepKnown(draft: StepDraft, set: Fields): Known {
  const outputs = outputsOf(draft, set);
  if (outputs.kind !== "object") return outputs;
  const fields = new Map([
    ["approved", BOOLEAN],
    ...outputs.fields,
    ["outputs", outputs],
    ["stdout", TEXT],
    ["json", ANY],
  ] as const);
  return { kind: "object", fields, isOpen: outputs.isOpen };
}

/** Checks whether `step.approved` can be true: when a person is asked, or when the agent can return it. */
export function mayBeApproved(draft: StepDraft): boolean {
  if (draft.raw.approval === "required" || draft.raw.hitl === true || draft.unresolvedLibraryStep !== null) return true;
  return !isDeclaring(draft) || Object.hasOwn(draft.outputs ?? {}, "approved");
}

const LENS_KINDS: Readonly<Record<LensFieldType, Known>> = {
  string: TEXT,
  url: TEXT,
  number: NUMBER,
  integer: NUMBER,
  boolean: BOOLEAN,
  json: ANY,
  any: ANY,
  array: { kind: "list", items: ANY },
};

function lensFieldKnown({ type, itemType, enum: members }: LensField): Known {
  if (type === "array") return { kind: "list", items: itemType === undefined ? ANY : LENS_KINDS[itemType] };
  return type === "string" && members !== undefined ? { kind: "text", enum: members } : LENS_KINDS[type];
}

/** Returns the fields of a node that edges and overrides can read: those of its contract, and always `output`, `data` and `media`. */
export function contractKnown(contract: OutputContract | null | undefined): Known {
  const parts: [string, Known][] = [
    ["output", ANY],
    ["data", ANY],
    ["media", ANY],
  ];
  const schema = Object.entries(contract?.schema ?? {});
  if (contract === null || contract === undefined || schema.length === 0) {
    return { kind: "object", fields: new Map(parts), isOpen: true };
  }
  const fields = schema.map(([name, field]): [string, Known] => [name, lensFieldKnown(field)]);
  return closedObject([...contract.tokens.map((token): [string, Known] => [token, ANY]), ...fields, ...parts]);
}
