import type { Decision } from "../../core/event/index.ts";

export const CHOICE_TEXTS: Readonly<
  Record<
    Decision,
    { readonly verb: string; readonly done: string; readonly tone: "ok" | "bad" | "info"; readonly means: string }
  >
> = {
  approve: { verb: "Approve", done: "Approved", tone: "ok", means: "It continues, and passes the gates again." },
  reject: {
    verb: "Reject",
    done: "Rejected",
    tone: "bad",
    means: "It does not happen; what depends on it follows its failure rule.",
  },
  retry: { verb: "Retry", done: "Will be tried again", tone: "info", means: "The node is tried once more." },
  skip: { verb: "Skip", done: "Skipped", tone: "info", means: "The node is skipped, and the run continues." },
  abort: { verb: "Abort run", done: "Aborted", tone: "bad", means: "The run ends as failed." },
};

/** Other verbs for an approval about a call that may or may not have been made. */
const UNKNOWN_VERBS: Partial<Record<Decision, string>> = {
  approve: "It happened",
  retry: "Call again",
  reject: "It failed",
};

export function verbOf(choice: Decision, isOutcomeAsked: boolean): string {
  return (isOutcomeAsked ? UNKNOWN_VERBS[choice] : undefined) ?? CHOICE_TEXTS[choice].verb;
}

/** Whether a decision needs a reason, which a refusal does. */
export function needsReason(decision: Decision): boolean {
  return decision === "reject" || decision === "abort";
}
