import {
  causeOf,
  FAILURE_CLASSES,
  type Failure,
  type FailureClass,
  type JsonObject,
  type RetryCause,
} from "../base/index.ts";

const CLASS_OF_CAUSE: Readonly<Record<RetryCause, FailureClass>> = {
  timeout: "timeout",
  provider_error: "provider_error",
  rate_limit: "provider_rate_limit",
  contract_violated: "provider_bad_output",
};

/** Returns a failure in the form that expressions see under `error`. */
export function errorFacts({ code, message, cause = causeOf(code) }: Failure, attempts: number): JsonObject {
  const own = FAILURE_CLASSES.find((name) => name === code);
  return { code, message, attempts, class: own ?? (cause === undefined ? null : CLASS_OF_CAUSE[cause]) };
}
