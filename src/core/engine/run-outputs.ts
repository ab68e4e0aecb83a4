/** The outputs of a run, evaluated from its document or taken from its last nodes. */
import { fail, type Failure, type JsonObject, LIMITS, type Outcome, succeed, utf8Length } from "../base/index.ts";
import type { OutputField } from "../definition/index.ts";
import { settleOutputs } from "../outputs/index.ts";
import { nodeAt } from "./move.ts";
import { withReturned } from "./named-args.ts";
import type { Completed, RunState } from "./state.ts";
import { evaluateValue, sceneOfRun } from "./value.ts";

/** Evaluates the outputs named by the document, after every node has settled. Null when it names none. */
export function evaluateOutputs(state: RunState): Outcome<JsonObject | null, Failure> {
  const { outputs } = state.plan;
  if (outputs === null) return succeed(null);
  const scene = sceneOfRun(withReturned(state), outputs.scope);
  const values = Object.fromEntries(
    outputs.fields.map(({ name, value }) => [name, evaluateValue(scene, value, `outputs.${name}`)]),
  );
  if (scene.failure !== null) return fail(outputsError(scene.failure.message));
  const fields: [string, OutputField][] = outputs.fields.flatMap(({ name, field }) =>
    // A node that did not run has no value to check.
    field === null || values[name] === null ? [] : [[name, field]],
  );
  const settled = settleOutputs(Object.fromEntries(fields), values);
  const [first] = settled.errors;
  if (first !== undefined) {
    const { field, reason, details } = first;
    return fail(outputsError(`outputs.${field}: ${reason}${details === undefined ? "" : `, ${details}`}`));
  }
  const bytes = utf8Length(JSON.stringify(settled.outputs));
  if (bytes <= LIMITS.expressionResultBytesMax) return succeed(settled.outputs);
  return fail(outputsError(`the outputs take ${bytes} bytes, the limit is ${LIMITS.expressionResultBytesMax}`));
}

function outputsError(message: string): Failure {
  return { code: "outputs_error", message };
}

/** Returns the outputs of a finished run for the caller that started it: its own, else those of its completed leaves by id. */
export function outputsOfRun(state: RunState): JsonObject {
  return state.outputs ?? leafOutputs(state);
}

/** Returns the outputs of completed leaves, without skipped ones. */
function leafOutputs(state: RunState): JsonObject {
  return Object.fromEntries(completedLeaves(state).map(([id, { outputs }]) => [id, outputs]));
}

/** Returns the outputs for display. A leaf without outputs is shown with its text, `{leafId: {stdout}}`. */
export function shownOutputs(state: RunState): JsonObject {
  if (state.outputs !== null) return state.outputs;
  return Object.fromEntries(
    completedLeaves(state).map(([id, { outputs, envelope }]) => {
      const isPlain = Object.keys(outputs).length === 0;
      return [id, isPlain ? { stdout: envelope.output } : outputs];
    }),
  );
}

function completedLeaves(state: RunState): readonly (readonly [string, Completed])[] {
  const leaves = state.plan.nodes.filter(({ dependents }) => dependents.length === 0);
  return leaves.flatMap(({ id, index }) => {
    const { now } = nodeAt(state, index);
    return now.status === "completed" ? [[id, now] as const] : [];
  });
}
