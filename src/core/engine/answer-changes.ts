/** Reads the changes a person makes with an answer: to input values, to the result, or to the fields of a form. */
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, sameJson } from "../base/index.ts";
import type { ContractError, OutputField } from "../definition/index.ts";
import { checkFields, checkForm } from "../outputs/index.ts";
import type { PlanNode, Reference, StepBody } from "../plan/index.ts";
import { normaliseLabel } from "../template/index.ts";
import { bind } from "./bind.ts";
import { bindWith } from "./bind-step.ts";
import { settlementOf } from "./completing.ts";
import type { BoundRequest } from "./effect.ts";
import { readsOf } from "./given-values.ts";
import type { ApprovalInput } from "./input.ts";
import { planNodeOf } from "./move.ts";
import { type FieldError, type Refusal, refuse } from "./refusal.ts";
import type { ApprovalChanges, ApprovalState, NodeState, RunState } from "./state.ts";

export interface ReadChanges extends ApprovalChanges {
  /** True when the values differ from those that earlier answers approved. */
  readonly isChanged: boolean;
  /** The node with the changes applied. */
  readonly node: NodeState;
  /** The request that would then be sent. Null when nothing is sent or nothing has changed. */
  readonly request: BoundRequest | null;
}

type Outcome = { readonly refusal: Refusal } | { readonly changes: ReadChanges };

/** Reads the changes of an answer, on top of those of earlier answers, and checks them against the schema of each value. */
export function readChanges(
  state: RunState,
  node: NodeState,
  approval: Pick<ApprovalState, "rule" | "changes" | "source">,
  { modifications, form }: Pick<ApprovalInput, "modifications" | "form">,
): Outcome {
  const before = approval.changes;
  const asked = withEarlier(before.modifications, madeChanges(modifications));
  const changed = asked === null ? null : checkModifications(state, node, asked);
  if (changed !== null && "refusal" in changed) return changed;
  const filled = fillForm(approval.rule.form, form, before.form);
  if ("refusal" in filled) return filled;
  const now = { modifications: asked, form: filled.form };
  const isChanged = !isSame(now.modifications, before.modifications) || !isSame(now.form, before.form);
  const { node: changedNode = node, request = null } = changed ?? {};
  return { changes: { ...now, isChanged, node: changedNode, request } };
}

/** Returns undefined for modifications that change nothing: an answer with `{}` approves what is shown. */
export function madeChanges(given: JsonObject | undefined): JsonObject | undefined {
  const entries = Object.entries(given ?? {}).filter(
    ([key, value]) => key !== "inputs" || !isJsonObject(value) || Object.keys(value).length > 0,
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Merges new inputs over earlier ones: a person who changes one input has seen the others with their earlier changes. */
function withEarlier(before: JsonObject | null, given: JsonObject | undefined): JsonObject | null {
  if (before === null || given === undefined) return given ?? before;
  const [earlier, inputs] = [getOwn(before, "inputs"), getOwn(given, "inputs")];
  return isJsonObject(earlier) && isJsonObject(inputs) ? { ...given, inputs: { ...earlier, ...inputs } } : given;
}

function isSame(left: JsonObject | null, right: JsonObject | null): boolean {
  return left === null || right === null ? left === right : sameJson(left, right);
}

type FilledForm = { readonly refusal: Refusal } | { readonly form: JsonObject | null };

function fillForm(
  fields: ApprovalState["rule"]["form"],
  given: JsonObject | undefined,
  before: JsonObject | null,
): FilledForm {
  if (fields === null) {
    if (given === undefined) return { form: null };
    return { refusal: refuse("form_invalid", "the approval has no form to fill in") };
  }
  if (given === undefined && before !== null) return { form: before };
  const { values, errors } = checkForm(fields, given ?? {});
  if (errors.length === 0) return { form: values };
  return {
    refusal: { ...refuse("form_invalid", `the form is not filled in: ${listed(errors)}`), errors: fieldErrors(errors) },
  };
}

const CHANGEABLE = ["inputs", "outputs"];

type Checked = { readonly refusal: Refusal } | { readonly node: NodeState; readonly request: BoundRequest | null };

function checkModifications(state: RunState, node: NodeState, asked: JsonObject): Checked {
  const unknown = Object.keys(asked).filter((key) => !CHANGEABLE.includes(key));
  if (unknown.length > 0) {
    const errors = unknown.map((field) => ({ field, message: `cannot be changed; ${CHANGEABLE.join(" and ")} can` }));
    return invalid(errors);
  }
  const planNode = planNodeOf(state, node);
  if (planNode.kind === "gate") {
    return { refusal: refuse("modifications_invalid", `${node.id} is a gate and sends nothing that could be changed`) };
  }
  const inputs = getOwn(asked, "inputs");
  const outputs = getOwn(asked, "outputs");
  if (inputs !== undefined && !isJsonObject(inputs))
    return invalid([{ field: "inputs", message: "must be an object" }]);
  if (outputs !== undefined && !isJsonObject(outputs))
    return invalid([{ field: "outputs", message: "must be an object" }]);
  const changed = inputs === undefined ? node : { ...node, values: { ...node.values, ...inputs } };
  const checked =
    inputs === undefined ? { node: changed, request: null } : checkInputs(state, changed, planNode, inputs);
  if ("refusal" in checked || outputs === undefined) return checked;
  return checkOutputs(state, changed, planNode, outputs) ?? { node: changed, request: null };
}

function checkInputs(state: RunState, node: NodeState, planNode: PlanNode, inputs: JsonObject): Checked {
  const { body, forEach } = planNode;
  const errors =
    body.kind === "step" ? stepErrors(state, planNode, body, inputs) : labelErrors(state, node, planNode, inputs);
  if (errors.length > 0) return invalid(errors);
  // Elements are bound one by one after the node has expanded.
  if (forEach !== null && node.instance === null) return { node, request: null };
  if (planNode.kind === "block" || planNode.kind === "choose") return { node, request: null };
  if (planNode.kind === "child" && body.kind === "step") {
    const bound = bindWith(state, node, body);
    return bound.ok ? { node, request: null } : { refusal: refuse("modifications_invalid", bound.failure.message) };
  }
  const binding = bind(state, node);
  if (binding.kind === "bound") return { node, request: binding.request };
  if (binding.kind === "unbound")
    return invalid(binding.missing.map((field) => ({ field: `inputs.${field}`, message: "has no value" })));
  if (binding.errors !== undefined) return invalid(fieldErrors(binding.errors, "inputs."));
  return { refusal: refuse("modifications_invalid", binding.failure.message) };
}

function stepErrors(state: RunState, planNode: PlanNode, body: StepBody, inputs: JsonObject): readonly FieldError[] {
  const reads = readsOf(body, planNode.forEach);
  const isKnown = (name: string): boolean => reads.has(name) || Object.hasOwn(body.with, name);
  return Object.entries(inputs).flatMap(([name, value]) => {
    if (!isKnown(name)) {
      const known = [...new Set([...reads.keys(), ...Object.keys(body.with)])];
      const names = known.length === 0 ? "it reads nothing" : `it reads ${known.join(", ")}`;
      return [{ field: `inputs.${name}`, message: `is nothing that ${planNode.id} reads; ${names}` }];
    }
    if (isKey(planNode, name) && !isJsonObject(value)) {
      return [{ field: `inputs.${name}`, message: "must be an object" }];
    }
    return typeErrors(state, planNode, body, { name, value, reference: reads.get(name) });
  });
}

/** Returns true for the value that events are matched by. */
function isKey({ work }: PlanNode, name: string): boolean {
  return (work?.kind === "emit" && name === "key") || (work?.kind === "wait" && name === "match");
}

interface ChangedInput {
  readonly name: string;
  readonly value: Json;
  readonly reference: Reference | undefined;
}

/** Checks a value against the type declared for the input, else against the type of the arg or output it comes from. */
function typeErrors(
  state: RunState,
  { forEach }: PlanNode,
  { inputs }: StepBody,
  { name, value, reference }: ChangedInput,
): readonly FieldError[] {
  if (forEach !== null && reference === forEach.list && !isJsonArray(value)) {
    return [{ field: `inputs.${name}`, message: "must be a list" }];
  }
  const input = inputs.find((one) => one.name === name);
  const field = input?.field ?? (reference === undefined ? null : sourceField(state, reference));
  if (field === null) return [];
  const required = input?.isRequired ?? true;
  return fieldErrors(checkFields({ [name]: { ...field, required } }, { [name]: value }), "inputs.");
}

function sourceField({ plan }: RunState, { origin, rest }: Reference): OutputField | null {
  if (origin.kind === "arg") {
    const arg = rest.length === 0 ? getOwn(plan.args, origin.name) : undefined;
    return arg?.type === undefined ? null : { ...arg, type: arg.type };
  }
  const [name] = rest;
  if (origin.kind !== "node" || origin.part !== "outputs" || rest.length !== 1 || typeof name !== "string") return null;
  const source = plan.nodes[origin.node];
  if (source === undefined || source.forEach !== null || source.body.kind !== "step") return null;
  return getOwn(source.body.outputs ?? {}, name) ?? null;
}

/** Checks the labels of a lens. They are compared in normalised form, as in its template. */
function labelErrors(
  state: RunState,
  node: NodeState,
  { body, id }: PlanNode,
  inputs: JsonObject,
): readonly FieldError[] {
  if (body.kind !== "lens") return [];
  const binding = bind(state, { ...node, values: {} });
  const bound = binding.kind === "bound" ? Object.keys(binding.request.inputs) : [];
  const tokens = (body.template?.parts ?? []).flatMap((part) => (typeof part === "string" ? [] : [part.label]));
  const labels = [...bound, ...tokens, ...Object.keys(body.inputContract?.fields ?? {}), ...Object.keys(body.with)];
  const known = new Set(labels.map(normaliseLabel));
  return Object.keys(inputs)
    .filter((name) => !known.has(normaliseLabel(name)))
    .map((name) => ({ field: `inputs.${name}`, message: `is nothing that ${id} reads` }));
}

function checkOutputs(
  state: RunState,
  node: NodeState,
  { forEach, repeat, id }: PlanNode,
  outputs: JsonObject,
): { readonly refusal: Refusal } | undefined {
  if ((forEach !== null || repeat !== null) && node.instance === null) {
    const parts = forEach === null ? "rounds" : "elements";
    return { refusal: refuse("modifications_invalid", `the outputs of ${id} are those of its ${parts}`) };
  }
  const settlement = settlementOf(state, node, { outputs });
  if (settlement.ok) return undefined;
  if (settlement.errors !== undefined) return invalid(fieldErrors(settlement.errors, "outputs."));
  return { refusal: refuse("modifications_invalid", settlement.failure.message) };
}

function invalid(errors: readonly FieldError[]): { readonly refusal: Refusal } {
  const message = errors.map(({ field, message: why }) => `${field} ${why}`).join("; ");
  return { refusal: { ...refuse("modifications_invalid", message), errors } };
}

export function fieldErrors(errors: readonly ContractError[], prefix = ""): readonly FieldError[] {
  return errors.map(({ field, reason, details }) => ({
    field: `${prefix}${field}`,
    message: details ?? WORDS[reason],
  }));
}

/** Texts for reasons that have no details. */
const WORDS: Readonly<Record<ContractError["reason"], string>> = {
  missing_required: "is missing",
  type_mismatch: "is of another type",
  below_min: "is too small",
  above_max: "is too large",
  too_short: "is too short",
  too_long: "is too long",
  pattern_mismatch: "does not match its pattern",
  enum_mismatch: "is not one of its values",
  unknown_field: "is not known",
  invalid_envelope: "is no result",
  schema_violation: "does not fit its schema",
};

function listed(errors: readonly ContractError[]): string {
  return errors.map(({ field, reason, details }) => `${field} ${details ?? WORDS[reason]}`).join("; ");
}
