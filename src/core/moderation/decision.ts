/** Who said no: one of the rules, or an adapter that was asked. */
export type ModerationRule = "size" | "secrets" | "words" | "patterns" | "adapter";

/** Why a text may not pass. It goes into the log of the run, so that it never repeats a secret. */
export interface ModerationDecision {
  readonly rule: ModerationRule;
  /** For conditions and statistics: `too_long`, `api_key`, `blocked_word`, `moderation_unavailable` … */
  readonly category: string;
  /** A sentence for people. */
  readonly detail: string;
  /** The place as it was written; only for words, which the rules spell out anyway. */
  readonly excerpt?: string;
  /** Where in a JSON value, as authors write it. */
  readonly path?: string;
}

export type Moderation =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly decision: ModerationDecision };

export const ALLOWED: Moderation = { allowed: true };

export function refused(decision: ModerationDecision): Moderation {
  return { allowed: false, decision };
}
