/** Something outside refused or failed, as data. `code` is what people and conditions read, `cause` what a retry policy reads. */
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
  /** Set when a retry policy may act on it; absent means it is never tried again. */
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

/** Which retry cause a failure code belongs to, if any. */
export function causeOf(code: string): RetryCause | undefined {
  return Object.hasOwn(CAUSE_OF_CLASS, code) ? CAUSE_OF_CLASS[code] : undefined;
}
