import { auditEntry } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { Decision } from "../core/event/index.ts";
import type { LaunchApproval } from "../store/index.ts";
import { isOfRequester } from "./key-line.ts";
import { Refused } from "./problem.ts";
import type { Call } from "./route.ts";

export interface GivenAnswer {
  readonly decision: Decision;
  readonly reason?: string | undefined;
  readonly digest?: string | undefined;
  readonly modifications?: JsonObject | undefined;
}

/** Answers for a run that does not exist yet, by the rules that hold for those that do. */
export async function answerLaunch(
  { services, principal }: Pick<Call<unknown, unknown>, "services" | "principal">,
  approval: LaunchApproval,
  given: GivenAnswer,
): Promise<void> {
  const { store, config } = services;
  const { id, orgId, source } = approval;
  const { label: by } = principal;
  const { decision, reason } = given;
  const at = config.now();
  const isOwn = await isOfRequester(store, orgId, principal.keyId, approval.requestedBy);
  check(approval, given, { agentId: principal.agentId, isOwn }, at);
  const status = decision === "reject" ? "rejected" : "approved";
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
  if (await store.answerLaunch(orgId, closing, entry)) return;
  throw new Refused("approval_closed", "Somebody else has answered it, or its time is over.");
}

function check(
  approval: LaunchApproval,
  { decision, reason, digest, modifications }: GivenAnswer,
  { agentId, isOwn }: { readonly agentId: string | null; readonly isOwn: boolean },
  at: number,
): void {
  if (approval.status !== "pending")
    throw new Refused("approval_closed", `The approval is already ${approval.status}.`);
  if (approval.expiresAt <= at) throw new Refused("approval_closed", "The approval is already expired.");
  if (agentId !== null && agentId === approval.agentId) {
    throw new Refused("self_approval", "An agent cannot answer for its own launch.");
  }
  if (approval.isSeparate && isOwn) {
    throw new Refused("self_approval", "Someone other than who wants to start the run has to answer.");
  }
  if (digest !== undefined && digest !== approval.digest) {
    throw new Refused("content_changed", "What was shown is not what would be done; look again.");
  }
  if (!approval.choices.includes(decision)) {
    throw new Refused("bad_choice", `${decision} is not among ${approval.choices.join(", ")}.`);
  }
  if (decision === "reject" && (reason ?? "").trim() === "") {
    throw new Refused("reason_required", "A rejection needs a reason.");
  }
  if (modifications !== undefined) {
    throw new Refused("bad_choice", "A launch is approved as it is; start it with other args to have those approved.");
  }
}
