import { auditEntry } from "../core/audit/index.ts";
import { OF_LAUNCH, refuseAnswer, statusAfter } from "../core/engine/index.ts";
import type { ApprovalRecord, LaunchApproval } from "../store/index.ts";
import type { ReadAnswer } from "./routes/approvals.ts";
import { Refused, refusedBy } from "./problem.ts";
import type { Call } from "./route.ts";

/** Answers for a run that does not exist yet, by the rules that hold for those that do. Returns the closed approval. */
export async function answerLaunch(
  { services, principal }: Pick<Call<unknown, unknown>, "services" | "principal">,
  approval: LaunchApproval,
  answer: ReadAnswer,
): Promise<ApprovalRecord> {
  const { store, config } = services;
  const { id, orgId, source } = approval;
  const { label: by } = principal;
  const { decision, reason } = answer;
  const at = config.now();
  requireAnswer(approval, answer, at);
  const status = statusAfter(decision);
  const entry = auditEntry({
    at,
    type: "approval.resolved",
    actor: principal.keyId,
    resource: `approval/${id}`,
    detail: { approvalId: id, source, status, decision, by, ...(reason === undefined ? {} : { reason }) },
  });
  const closing = {
    id,
    status,
    choice: decision,
    resolvedBy: by,
    resolvedAt: at,
    reason: reason ?? null,
    modifications: null,
  } as const;
  if (await store.answerLaunch(orgId, closing, entry)) return { ...approval, ...closing };
  throw new Refused("approval_closed", "It was answered by another caller, or its time is over.");
}

function requireAnswer(approval: LaunchApproval, answer: ReadAnswer, at: number): void {
  const isExpired = approval.status === "pending" && approval.expiresAt <= at;
  const refusal = refuseAnswer(isExpired ? { ...approval, status: "expired" } : approval, answer, OF_LAUNCH);
  if (refusal !== undefined) throw refusedBy(refusal);
  if (answer.modifications === undefined) return;
  throw new Refused("bad_choice", "A launch is approved as it is; start it with other args to have those approved.");
}
