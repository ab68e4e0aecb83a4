import { RETRY_CAUSES } from "../base/index.ts";
import type { RetryBlock } from "./definition.ts";
import { optional, record, type Reading } from "./record.ts";
import { choice, list, number } from "./shape.ts";
import { milliseconds } from "./text-shape.ts";
import { RETRY_WORDS } from "./foreign-word.ts";

export const RETRY_DEFAULTS: RetryBlock = {
  attempts: 1,
  backoffMs: 500,
  maxBackoffMs: 8_000,
  retryOn: ["timeout", "provider_error", "rate_limit"],
};

export const RETRY = {
  attempts: optional(
    number({ isInteger: true, min: 1, max: 10, expected: "a whole number from 1 to 10" }),
    "Maximum number of attempts, including the first.",
    { default: RETRY_DEFAULTS.attempts },
  ),
  backoff_ms: optional(milliseconds(true), "Wait before the first retry in milliseconds. It doubles with each retry.", {
    default: RETRY_DEFAULTS.backoffMs,
  }),
  max_backoff_ms: optional(milliseconds(true), "Longest wait between two attempts, in milliseconds.", {
    default: RETRY_DEFAULTS.maxBackoffMs,
  }),
  retry_on: optional(list(choice(RETRY_CAUSES)), "Causes of failure that are retried.", {
    default: [...RETRY_DEFAULTS.retryOn],
  }),
};

export const retryShape = record(RETRY, { title: "retry", isCamelAccepted: true, foreign: RETRY_WORDS });

/** Returns the retry block. `attempts` is the number from the failure policy, used when the block does not set it. */
export function retryBlock(raw: Reading<typeof RETRY>, attempts: number): RetryBlock {
  return {
    attempts: raw.attempts ?? attempts,
    backoffMs: raw.backoff_ms ?? RETRY_DEFAULTS.backoffMs,
    maxBackoffMs: raw.max_backoff_ms ?? RETRY_DEFAULTS.maxBackoffMs,
    retryOn: raw.retry_on ?? RETRY_DEFAULTS.retryOn,
  };
}
