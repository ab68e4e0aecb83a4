import type { CallbackBody } from "../bridge/index.ts";
import type { WorkResult } from "../contract/index.ts";
import type { AttemptAddress } from "../core/event/index.ts";

/** Code for all failures of functions: a thrown error, an invalid return value, invalid inputs. */
const FUNCTION_ERROR = "function_error";

/** Converts a result of a worker into a report of an attempt, as every adapter sends it. */
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

/** Logs the stack with the attempt, where no model sees it. The level is debug, because lines of higher levels would become events. */
function stackOf({ error, completedAt }: WorkResult): NonNullable<WorkResult["logs"]> {
  if (error?.stack === undefined) return [];
  return [{ level: "debug", message: error.stack, at: completedAt }];
}
