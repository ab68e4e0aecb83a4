import type { AnswerRight } from "../contract/index.ts";
import { OF_LAUNCH, OF_NODE, refuseAnswer } from "../core/engine/index.ts";
import { type ApprovalRecord, isLaunchApproval } from "../store/index.ts";
import { answersAs } from "./answers-as.ts";
import { lacking } from "./auth.ts";
import { refusedBy } from "./problem.ts";
import type { Call } from "./route.ts";
import { readAnswer } from "./routes/approvals.ts";

/** Refusals that apply to any answer of the same caller. */
const OF_CALLER: ReadonlySet<string> = new Set([
  "approval_closed",
  "self_approval",
  "not_an_approver",
  "already_answered",
]);

/** Returns whether the caller may answer, by judging an answer without submitting it. */
export async function rightToAnswer(
  { services, principal, params }: Pick<Call<unknown, unknown>, "services" | "principal" | "params">,
  approval: ApprovalRecord,
): Promise<AnswerRight> {
  const names = await answersAs(services.store, principal);
  const mayOverride = principal.permissions.has("governance:write");
  if (!principal.permissions.has("governance:approve")) {
    const { code, message } = lacking("governance:approve");
    return { mayAnswer: false, mayOverride: false, code, message, names };
  }
  const [decision = "approve"] = approval.choices;
  const given = await readAnswer({ services, principal, params, body: { decision, reason: "-" } }, approval);
  const refusal = refuseAnswer(approval, given, isLaunchApproval(approval) ? OF_LAUNCH : OF_NODE);
  if (refusal === undefined || !OF_CALLER.has(refusal.code)) {
    return { mayAnswer: true, mayOverride, code: null, message: null, names };
  }
  const { code, message } = refusedBy(refusal);
  return { mayAnswer: false, mayOverride: mayOverride && code === "not_an_approver", code, message, names };
}
