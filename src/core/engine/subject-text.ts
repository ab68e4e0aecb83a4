/** Texts an author wrote for the person who answers, with their references filled. */
import { type Json, jsonToText } from "../base/index.ts";
import { evaluate } from "../expression/index.ts";
import type { StepBody } from "../plan/index.ts";
import { hideCredentials } from "../redaction/index.ts";
import {
  isExpression,
  isSingleReference,
  renderStepTemplate,
  type StepReference,
  type StepTemplate,
} from "../template/index.ts";
import { planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";
import { resolverFor } from "./value.ts";

const TITLE_LENGTH_MAX = 300;

/** Returns the label of a node on one line with references filled. A reference without a value stays as written. */
export function titleOf(state: RunState, node: NodeState): string {
  const { title, label, body } = planNodeOf(state, node);
  if (title === null || body.kind !== "step") return label;
  const filled = renderStepTemplate(title, (path) => {
    const value = read(state, node, body, path);
    return value === undefined ? path.text : jsonToText(value).slice(0, TITLE_LENGTH_MAX);
  });
  return lineOf(filled);
}

/** Shortens a text to one line of limited length, without text that looks like a secret. */
export function lineOf(text: string): string {
  const line = hideCredentials(text.replace(/\s+/gu, " ").trim());
  return line.length > TITLE_LENGTH_MAX ? `${line.slice(0, TITLE_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/u, "")}…` : line;
}

export function valueOf(state: RunState, node: NodeState, body: StepBody, template: StepTemplate): Json {
  const single = isSingleReference(template);
  if (single !== undefined) return read(state, node, body, single) ?? null;
  return renderStepTemplate(template, (path) => jsonToText(read(state, node, body, path)));
}

/** A value that cannot be evaluated is shown as missing. The node itself fails with the reason when it is bound. */
function read(state: RunState, node: NodeState, body: StepBody, reference: StepReference): Json | undefined {
  const readPath = resolverFor(state, node, body);
  if (!isExpression(reference)) return readPath(reference);
  const result = evaluate(reference.root, readPath);
  return result.ok ? result.value : undefined;
}
