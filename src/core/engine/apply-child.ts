/** Folds events about the child runs a run has started. */
import type { EventOf, Tokens } from "../event/index.ts";
import { beginChildCall } from "./apply-agent.ts";
import { NO_TOKENS } from "./create-state.ts";
import { moveNode } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";
import { takeEvent } from "./taken-events.ts";

export function applyChildStarted(state: RunState, node: NodeState, { payload }: EventOf<"child.started">): void {
  const { childRunId, block = null, sourceRunId = null, callId } = payload;
  addChild(state, childRunId);
  if (callId !== undefined) return beginChildCall(node, callId, childRunId);
  if (block !== null) node.lastBlock = { runId: childRunId, block, epoch: state.epoch };
  if (node.now.status === "running") moveNode(state, node, { ...node.now, childRunId, block, sourceRunId });
}

function addChild(state: RunState, childRunId: string): void {
  state.liveChildren.add(childRunId);
  state.childCosts.set(childRunId, { costMicros: 0, tokens: NO_TOKENS });
}

export function applyFinally(state: RunState, { payload }: EventOf<"run.finally">): void {
  const { childRunId, as, reason = null, errorCode = null, errorMessage = null, outputs = null } = payload;
  addChild(state, childRunId);
  const outcome = { as, reason, errorCode, errorMessage, outputs };
  state.finally = { childRunId, outcome, isRunning: true, failure: null };
}

/** An earlier `finally` run that a rewind abandoned only leaves the set of live children. */
export function applyFinallyEnded(state: RunState, { payload }: EventOf<"run.finally.ended">): void {
  const { childRunId, errorCode, errorMessage = "" } = payload;
  state.liveChildren.delete(childRunId);
  if (state.finally?.childRunId !== childRunId) return;
  const failure = errorCode === undefined ? null : { code: errorCode, message: errorMessage };
  state.finally = { ...state.finally, isRunning: false, failure };
}

export function applyChildFinished(state: RunState, node: NodeState, { payload }: EventOf<"child.finished">): void {
  const { childRunId, taken = [] } = payload;
  state.liveChildren.delete(childRunId);
  // Events taken by an abandoned child run do not count for this node.
  if (node.lastBlock?.runId === childRunId) for (const each of taken) takeEvent(state, node, each);
}

/** Also adds up the cost per child: each report contains the child's total cost so far, and only the new part is recorded. */
export function applyChildCost(state: RunState, payload: EventOf<"cost.recorded">["payload"]): void {
  const { childRunId } = payload;
  const known = childRunId === undefined ? undefined : state.childCosts.get(childRunId);
  if (childRunId === undefined || known === undefined) return;
  const costMicros = known.costMicros + payload.costMicros;
  state.childCosts.set(childRunId, { costMicros, tokens: addTokens(known.tokens, payload.tokens) });
}

export function addTokens(left: Tokens, right: Tokens): Tokens {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    thinkingTokens: left.thinkingTokens + right.thinkingTokens,
    cachedTokens: left.cachedTokens + right.cachedTokens,
  };
}
