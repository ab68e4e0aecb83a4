import type { CallbackBody } from "../bridge/index.ts";
import type { WorkResult } from "../contract/index.ts";
import type { AttemptAddress } from "../core/event/index.ts";

/** Failures of functions: what was thrown, what it returned that does not fit, what it was given that does not fit. */
const FUNCTION_ERROR = "function_error";

/** A result of a worker as every report of an attempt. */
export function reportOfWork(result: WorkResult, address: AttemptAddress): CallbackBody {
  const { dispatchId, status, outputs, error, logs = [], startedAt, completedAt } = result;
  const { runId, nodeId: stepId, attempt } = address;
  const lines = [...logs, ...stackOf(result)];
  return {
    dispatchId,
    runId,
    stepId,
    attempt,
    status,
    ...(status === "completed" ? { outputs: outputs ?? {} } : {}),
    ...(error === undefined ? {} : { error: textOf(error), retryable: error.retryable }),
    ...(status === "failed" ? { errorCode: FUNCTION_ERROR } : {}),
    ...(lines.length === 0 ? {} : { logs: lines.map(({ at = completedAt, ...line }) => ({ ...line, at })) }),
    startedAt,
    completedAt,
    executionPath: "async",
  };
}

function textOf({ class: name, message }: NonNullable<WorkResult["error"]>): string {
  return name === undefined || name === "Error" ? message : `${name}: ${message}`;
}

/** Kept with the log of the attempt, which no model is shown; loud lines would become events. */
function stackOf({ error, completedAt }: WorkResult): NonNullable<WorkResult["logs"]> {
  if (error?.stack === undefined) return [];
  return [{ level: "debug", message: error.stack, at: completedAt }];
}
