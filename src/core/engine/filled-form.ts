import { type Json, jsonToText, LIMITS, utf8Length } from "../base/index.ts";
import type { ApprovalRule, FormFill } from "../definition/index.ts";
import { declaredField, type FormField } from "../event/index.ts";
import { checkFields } from "../outputs/index.ts";
import type { StepBody } from "../plan/index.ts";
import { hideCredentials } from "../redaction/index.ts";
import { planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";
import { lineOf, valueOf } from "./subject-text.ts";

/** Returns the rule of a gate with the references in the texts of its form filled. */
export function filledRule(state: RunState, node: NodeState, rule: ApprovalRule): ApprovalRule {
  const { form, fills = [] } = rule;
  const { body } = planNodeOf(state, node);
  if (form === null || body.kind !== "step" || fills.length === 0) return rule;
  const fields: Record<string, FormField> = { ...form };
  for (const fill of fills) {
    const field = fields[fill.field];
    if (field !== undefined) fields[fill.field] = filled(field, fill, state, node, body);
  }
  return { ...rule, form: fields };
}

function filled(
  field: FormField,
  { key, template }: FormFill,
  state: RunState,
  node: NodeState,
  body: StepBody,
): FormField {
  const value = valueOf(state, node, body, template);
  if (key !== "default") return { ...field, [key]: lineOf(jsonToText(value)) };
  const { default: _, ...rest } = field;
  return isFit(field, value) ? { ...rest, default: value, isDefaultFilled: true } : rest;
}

/** Checks a filled-in default. One that is invalid or must not be shown is dropped, and the person enters the value. */
function isFit(field: FormField, value: Json): boolean {
  const text = jsonToText(value);
  const isShown = utf8Length(text) <= LIMITS.shownValueBytesMax && hideCredentials(text) === text;
  return value !== null && isShown && checkFields({ default: declaredField(field) }, { default: value }).length === 0;
}
