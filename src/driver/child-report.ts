import {
  type ChildFinishedInput,
  findNode,
  outputsOfRun,
  type RunState,
  type StartChild,
  eventsTakenByBlock,
} from "../core/engine/index.ts";

/** Returns the report that a parent receives about a child run that has ended. */
export function childReport(
  called: { readonly nodeId: string; readonly attempt: number },
  state: RunState,
): ChildFinishedInput {
  const failure = failureOf(state);
  const taken = state.block === null ? [] : eventsTakenByBlock(state);
  return {
    type: "child_finished",
    nodeId: called.nodeId,
    attempt: called.attempt,
    childRunId: state.runId,
    status: state.status,
    outputs: outputsOfRun(state),
    costMicros: state.costMicros,
    tokens: state.tokens,
    ...(failure === null ? {} : { errorMessage: failure.message }),
    ...(failure === null || state.block === null ? {} : { errorCode: failure.code }),
    ...(taken.length === 0 ? {} : { taken }),
    ...(state.endsOwner === null ? {} : { ends: state.endsOwner }),
  };
}

/** Returns the report that a parent receives about a child run that could not be started. */
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

/** Returns why a run ended without success: the error of the node that ended it, else of the first unhandled failed node. */
function failureOf(state: RunState): { readonly code: string; readonly message: string } | null {
  const { status, nodes, errorCode, errorReason, haltedBy } = state;
  if (status === "completed") return null;
  const halting = haltedBy === null ? undefined : findNode(state, haltedBy);
  for (const { id, now, isHandled } of halting === undefined ? nodes : [halting, ...nodes]) {
    if ((now.status === "failed" || now.status === "timed_out") && !isHandled)
      return { code: now.errorCode, message: `${id}: ${now.errorMessage}` };
  }
  return errorCode === null ? null : { code: errorCode, message: errorReason ?? errorCode };
}
