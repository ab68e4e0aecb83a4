import type { Answer, Approval, BulkAnswered, InboxItem } from "../../../client/index.ts";
import type { Decision } from "../../../core/event/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { toast } from "../../parts/toast.tsx";
import { CHOICE_TEXTS } from "../../parts/approval-texts.ts";

function refresh(): void {
  cache.invalidate("approvals", "approval-list", "runs");
}

/** Sends an answer to the approval as it was shown: the server compares the digests, so a changed approval is not answered. */
export async function sendAnswer(seen: Approval, answer: Omit<Answer, "digest" | "subjectDigest">): Promise<void> {
  const { id, digest, subjectDigest, title } = seen;
  try {
    const now = await api.resolveApproval(id, {
      ...answer,
      // An edit renders the request again, so its digest cannot equal the digest of the shown approval.
      ...(answer.modifications === undefined ? { digest } : {}),
      ...(subjectDigest === null ? {} : { subjectDigest }),
    });
    const { done, tone } = CHOICE_TEXTS[answer.decision];
    const isOpen = now.status === "pending";
    toast(isOpen ? `Counted: ${title} needs ${now.quorum - now.answers.length} more` : `${done}: ${title}`, tone);
  } finally {
    refresh();
  }
}

/** Sends one request for all approvals. Returns the refused ones with their reasons. */
export async function sendAnswers(
  items: readonly InboxItem[],
  decision: Decision,
  reason: string,
): Promise<BulkAnswered> {
  try {
    const outcome = await api.approvals.resolveMany(
      items.map(({ id, subjectDigest }) => ({ id, decision, subjectDigest, ...(reason === "" ? {} : { reason }) })),
    );
    const { done, tone } = CHOICE_TEXTS[decision];
    toast(`${done}: ${outcome.answered} of ${items.length}`, outcome.refused === 0 ? tone : "bad");
    return outcome;
  } finally {
    refresh();
  }
}
