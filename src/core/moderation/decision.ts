/** Source of the refusal: one of the rules, or an adapter that was queried. */
export type ModerationRule = "size" | "secrets" | "words" | "patterns" | "adapter";

/** Reason why a text was refused. It is written to the log of the run, so it never contains a secret. */
export interface ModerationDecision {
  readonly rule: ModerationRule;
  /** For conditions and statistics: `too_long`, `api_key`, `blocked_word`, `moderation_unavailable` and others. */
  readonly category: string;
  /** A sentence for people to read. */
  readonly detail: string;
  /** The matched text as written. Only set for words, which the rules contain anyway. */
  readonly excerpt?: string;
  /** Path in a JSON value, in the notation of authors. */
  readonly path?: string;
}

export type Moderation =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly decision: ModerationDecision };

export const ALLOWED: Moderation = { allowed: true };

export function refused(decision: ModerationDecision): Moderation {
  return { allowed: false, decision };
}
