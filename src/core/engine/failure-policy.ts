import { type Failure, LIMITS, type RetryCause } from "../base/index.ts";
import type { RetryPolicy } from "../plan/index.ts";

/** Returns the delay before the next attempt. Jitter is passed in and not drawn here, so that a log can be replayed. */
export function retryDelayMs(policy: RetryPolicy, tries: number, jitter: number, retryAfterMs = 0): number {
  return Math.max(Math.round(ownDelayMs(policy, tries, jitter)), Math.min(retryAfterMs, LIMITS.retryAfterMsMax));
}

function ownDelayMs({ delay }: RetryPolicy, tries: number, jitter: number): number {
  if (delay.kind === "exact") return delay.delaysMs[Math.min(tries, delay.delaysMs.length) - 1] ?? 0;
  return Math.min(delay.maxMs, delay.baseMs * 2 ** (tries - 1)) * (0.5 + jitter / 2);
}

export interface Tried {
  /** Number of attempts begun in this epoch. */
  readonly tries: number;
  readonly extraAttempts: number;
  readonly calls: number;
}

/** Checks whether another attempt may follow a failed one. */
export function mayRetry(
  policy: RetryPolicy,
  failure: Failure,
  tried: Tried,
): failure is Failure & { cause: RetryCause } {
  if (failure.cause === undefined || tried.tries === 0) return false;
  if (tried.calls >= LIMITS.callsPerNodeMax) return false;
  if (policy.causes !== "any" && !policy.causes.includes(failure.cause)) return false;
  return tried.tries < policy.attempts + tried.extraAttempts;
}
