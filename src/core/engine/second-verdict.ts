import { descriptionOf } from "./agent-turn.ts";
import type { ReadChanges } from "./answer-changes.ts";
import type { OpenCall } from "./input.ts";
import { verdictRequest } from "./on-round.ts";
import type { ApprovalState } from "./state.ts";
import { changedArgs, requiredCall } from "./tool-answer.ts";
import { perform, type Turn } from "./turn.ts";

/**
 * Requests a new verdict for args a person has changed, without the approval gate. Returns true when it was requested. A
 * call
 * whose adapter waits for the answer is judged again too: no dispatch follows whose gates would notice a platform closed
 * since.
 * The default answer of an approval chain is judged like that of a person.
 */
export function requestSecondVerdict(
  turn: Turn,
  approval: ApprovalState,
  answer: NonNullable<OpenCall["answer"]>,
  { node, modifications }: Pick<ReadChanges, "node" | "modifications">,
): boolean {
  const call = requiredCall(node, approval.id);
  const { id, tool, server, round, waits } = call;
  const isMade = call.ruling.kind === "hold" && call.ruling.isUnknown;
  const changed = changedArgs(call, modifications);
  if (isMade || (changed === null && !waits)) return false;
  const args = changed ?? call.args;
  const asked = { tool, args, ...(server === null ? {} : { server }), ...descriptionOf(node.turn, call) };
  const request = verdictRequest(turn, node, asked, id, round);
  if (request === null) return false;
  const { callsBefore, repeatsBefore, argsDigest } = request;
  const heldAt = approval.expiresAt - approval.rule.expiresMs;
  const own = argsDigest === call.argsDigest ? 1 : 0;
  const judged = {
    ...request,
    isApproved: true,
    heldAt,
    callsBefore: callsBefore - 1,
    repeatsBefore: repeatsBefore - own,
  };
  turn.state.askedCalls.set(id, { request: judged, waits, answer });
  perform(turn, judged);
  return true;
}
