import {
  type ChildFinishedInput,
  outputsOfRun,
  type RunState,
  type StartChild,
  takenIn,
} from "../core/engine/index.ts";

/** What a parent receives about a child run that has ended. */
export function childReport(
  called: { readonly nodeId: string; readonly attempt: number },
  state: RunState,
): ChildFinishedInput {
  const errorMessage = failureOf(state);
  const taken = state.block === null ? [] : takenIn(state);
  return {
    type: "child_finished",
    nodeId: called.nodeId,
    attempt: called.attempt,
    childRunId: state.runId,
    status: state.status,
    outputs: outputsOfRun(state),
    costMicros: state.costMicros,
    tokens: state.tokens,
    ...(errorMessage === null ? {} : { errorMessage }),
    ...(taken.length === 0 ? {} : { taken }),
    ...(state.endsOwner === null ? {} : { ends: state.endsOwner }),
  };
}

/** What a parent receives about a child run that could not be started. */
export function refusedChild(
  { nodeId, attempt, childRunId }: Pick<StartChild, "nodeId" | "attempt" | "childRunId">,
  errorMessage: string,
): ChildFinishedInput {
  const tokens = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };
  return {
    type: "child_finished",
    nodeId,
    attempt,
    childRunId,
    status: "failed",
    outputs: {},
    costMicros: 0,
    tokens,
    errorMessage,
  };
}

/** Why a run ended badly, in the words of the first node that failed. */
function failureOf(state: RunState): string | null {
  if (state.status === "completed") return null;
  for (const { id, now } of state.nodes) {
    if (now.status === "failed" || now.status === "timed_out") return `${id}: ${now.errorMessage}`;
  }
  return state.errorCode;
}
