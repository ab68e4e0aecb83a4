/** Classes of failures of other systems or of limits. In a failure, `code` is for people and conditions, `cause` for retry policies. */
export const FAILURE_CLASSES = [
  "provider_error",
  "provider_auth",
  "provider_rate_limit",
  "provider_refused",
  "provider_bad_output",
  "timeout",
  "cancelled",
  "adapter_bug",
  "script_error",
  "script_limit",
  "outcome_unknown",
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

export const RETRY_CAUSES = ["timeout", "provider_error", "rate_limit", "contract_violated"] as const;
export type RetryCause = (typeof RETRY_CAUSES)[number];

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Set when a retry policy applies to the failure. Absent when it is never retried. */
  readonly cause?: RetryCause;
  readonly retryAfterMs?: number;
}

const CAUSE_OF_CLASS: Readonly<Record<string, RetryCause>> = {
  provider_rate_limit: "rate_limit",
  timeout: "timeout",
  provider_bad_output: "contract_violated",
  output_contract_violation: "contract_violated",
  criteria_failed: "contract_violated",
  provider_error: "provider_error",
  dispatch_failed: "provider_error",
  gateway_unreachable: "provider_error",
  function_error: "provider_error",
};

/** Returns the retry cause of a failure code. Undefined when the code has none. */
export function causeOf(code: string): RetryCause | undefined {
  return Object.hasOwn(CAUSE_OF_CLASS, code) ? CAUSE_OF_CLASS[code] : undefined;
}
