import { auditEntry } from "../core/audit/index.ts";
import { isAsked, isYes, OF_LAUNCH, refuseAnswer, statusAfter } from "../core/engine/index.ts";
import { isLaunchApproval, type LaunchAnswer, type LaunchApproval, withAnswer } from "../store/index.ts";
import type { ReadAnswer } from "./routes/approvals.ts";
import { Refused, refusedBy } from "./problem.ts";
import type { Call } from "./route.ts";

type LaunchCall = Pick<Call<unknown, unknown>, "services" | "principal">;

/** Number of tries to save an answer when several people answer at the same moment. */
const TRIES = 20;

/** Answers an approval of a launch, for which no run exists yet, by the same rules as for runs. */
export async function answerLaunch(
  call: LaunchCall,
  asked: LaunchApproval,
  answer: ReadAnswer,
): Promise<LaunchApproval> {
  const { store } = call.services;
  let approval = asked;
  for (let tried = 0; tried < TRIES; tried += 1) {
    const { given, entry } = read(call, approval, answer);
    if (await store.answerLaunch(approval.orgId, given, entry)) return withAnswer(approval, given);
    const found = await store.getApproval(approval.orgId, approval.id);
    if (found === undefined || !isLaunchApproval(found) || found.status !== "pending") break;
    approval = found;
  }
  throw new Refused("approval_closed", "It was answered by another caller, or its time is over.");
}

function read({ services, principal }: LaunchCall, approval: LaunchApproval, answer: ReadAnswer) {
  const { id, source, quorum, answers } = approval;
  const { label: by, keyId } = principal;
  const { decision, reason, personId, isOverride } = answer;
  const at = services.config.now();
  requireAnswer(approval, answer, at);
  const count = answers.length + 1;
  const isEnough = !isYes(decision) || count >= quorum;
  const all = [...answers, { by, byId: keyId, personId: personId ?? null, decision, at }];
  const closing = { choice: decision, resolvedBy: by, resolvedAt: at, reason: reason ?? null };
  const given: LaunchAnswer = {
    id,
    seen: answers.length,
    answers: all,
    ...(isEnough ? { status: statusAfter(decision), ...closing } : { status: "pending" }),
  };
  const entry = auditEntry({
    at,
    type: isEnough ? "approval.resolved" : "approval.answered",
    actor: keyId,
    resource: `approval/${id}`,
    detail: {
      approvalId: id,
      source,
      ...(isEnough ? { status: statusAfter(decision) } : { answers: count, quorum }),
      decision,
      by,
      ...(personId === undefined ? {} : { personId }),
      ...(reason === undefined ? {} : { reason }),
      ...(isOverride === true && !isAsked(approval, answer.as) ? { isOverride } : {}),
    },
  });
  return { given, entry };
}

function requireAnswer(approval: LaunchApproval, answer: ReadAnswer, at: number): void {
  const isExpired = approval.status === "pending" && approval.expiresAt <= at;
  const refusal = refuseAnswer(isExpired ? { ...approval, status: "expired" } : approval, answer, OF_LAUNCH);
  if (refusal !== undefined) throw refusedBy(refusal);
  if (answer.form !== undefined) throw new Refused("form_invalid", "The approval of a launch has no form.");
  if (answer.modifications === undefined) return;
  throw new Refused("bad_choice", "A launch is approved as it is; start it with other args to have those approved.");
}
