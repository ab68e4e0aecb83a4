import type { OnFailure, RetryBlock } from "../definition/index.ts";
import type { PlanNode, RetryPolicy } from "./plan.ts";

/** Delays of a bare `retry` before the second, third and fourth call. */
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000] as const;

export function retryPolicyOf(onFailure: OnFailure, block: RetryBlock | null): RetryPolicy {
  if (block !== null) return retryPolicyOfBlock(block);
  switch (onFailure) {
    case "retry_once":
    case "retry_once_then_escalate":
      return { attempts: 2, causes: "any", delay: { kind: "exact", delaysMs: [0] } };
    case "retry":
      return {
        attempts: RETRY_DELAYS_MS.length + 1,
        causes: "any",
        delay: { kind: "exact", delaysMs: RETRY_DELAYS_MS },
      };
    case "halt":
    case "skip":
      return { attempts: 1, causes: "any", delay: { kind: "exact", delaysMs: [] } };
  }
}

export function retryPolicyOfBlock(block: RetryBlock): RetryPolicy {
  return {
    attempts: block.attempts,
    causes: block.retryOn,
    delay: { kind: "backoff", baseMs: block.backoffMs, maxMs: block.maxBackoffMs },
  };
}

/** Returns the outcome after the last retry. Retrying policies end in a halt unless they specify something else. */
export function outcomeOf(onFailure: OnFailure): PlanNode["onFailure"] {
  switch (onFailure) {
    case "halt":
    case "retry_once":
    case "retry":
      return "halt";
    case "skip":
      return "skip";
    case "retry_once_then_escalate":
      return "escalate";
  }
}
