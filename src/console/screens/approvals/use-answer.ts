import type { Approval } from "../../../client/index.ts";
import type { Decision } from "../../../core/event/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { type Action, useAction } from "../../page/use-action.ts";
import { toast } from "../../parts/toast.tsx";
import { CHOICE_TEXTS } from "../../parts/approval-texts.ts";

/** Answers for what was seen: with its digest an answer counts only for that very text. */
export async function sendAnswers(decision: Decision, approvals: readonly Approval[], reason: string): Promise<void> {
  try {
    for (const { id, digest } of approvals) {
      await api.resolveApproval(id, { decision, digest, ...(reason === "" ? {} : { reason }) });
    }
  } finally {
    cache.invalidate("approvals", "runs");
  }
  const what = approvals.length === 1 ? (approvals[0]?.summary ?? "") : `${approvals.length} approvals`;
  const { done, tone } = CHOICE_TEXTS[decision];
  toast(`${done}: ${what}`, tone);
}

export function useAnswer(): Action<Parameters<typeof sendAnswers>> {
  return useAction(sendAnswers);
}
