import { appendFileSync } from "node:fs";
import type { AdapterRequest } from "../../adapter/index.ts";

/** Where every call is written down before it has any effect, so that effects can be judged from outside. */
export type Ledger = (request: AdapterRequest, at: number) => void;

/** Synchronous on purpose: when the line is missing, the effect did not happen. */
export function createFileLedger(file: string): Ledger {
  return (request, at) => {
    const line = {
      dispatchId: request.dispatchId,
      idempotencyKey: request.idempotencyKey,
      run: request.runId,
      node: request.stepId,
      attempt: request.attempt,
      time: new Date(at).toISOString(),
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  };
}
