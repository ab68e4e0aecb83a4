/** What a run has to show for itself. */
import { fail, type Failure, type JsonObject, LIMITS, type Outcome, succeed, utf8Length } from "../base/index.ts";
import type { OutputField } from "../definition/index.ts";
import { settleOutputs } from "../outputs/index.ts";
import { nodeAt } from "./move.ts";
import { withReturned } from "./named-args.ts";
import type { Completed, RunState } from "./state.ts";
import { evaluateValue, sceneOfRun } from "./value.ts";

/** The outputs of the document, once every node has settled; null: it names none. */
export function evaluateOutputs(state: RunState): Outcome<JsonObject | null, Failure> {
  const { outputs } = state.plan;
  if (outputs === null) return succeed(null);
  const scene = sceneOfRun(withReturned(state), outputs.scope);
  const values = Object.fromEntries(
    outputs.fields.map(({ name, value }) => [name, evaluateValue(scene, value, `outputs.${name}`)]),
  );
  if (scene.failure !== null) return fail(outputsError(scene.failure.message));
  const fields: [string, OutputField][] = outputs.fields.flatMap(({ name, field }) =>
    // What did not run gave nothing that could be wrong.
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

/** What a finished run gives to the one who started it: its outputs, or those of its completed leaves by id. */
export function outputsOfRun(state: RunState): JsonObject {
  return state.outputs ?? leafOutputs(state);
}

/** Skipped leaves are absent. */
function leafOutputs(state: RunState): JsonObject {
  return Object.fromEntries(completedLeaves(state).map(([id, { outputs }]) => [id, outputs]));
}

/** The same for those outside: a leaf without outputs stands with its text, `{leafId: {stdout}}`. */
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
