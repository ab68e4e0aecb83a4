import { appendFileSync } from "node:fs";
import type { AdapterRequest } from "../../adapter/index.ts";
import type { JsonObject } from "../../core/base/index.ts";

/** One model call or tool call of a turn. */
export type LedgerCall =
  | { readonly kind: "model"; readonly round: number; readonly segment: number }
  | {
      readonly kind: "tool";
      readonly callId: string;
      readonly tool: string;
      readonly server?: string;
      readonly args: JsonObject;
    };

/**
 * Records every call before it has any effect, so that a test can check the effects from outside. Without `call`, the
 * record is for the whole request.
 */
export type Ledger = (request: AdapterRequest, at: number, call?: LedgerCall) => void;

/** Synchronous on purpose: when the line is missing, the effect did not happen. */
export function createFileLedger(file: string): Ledger {
  return (request, at, call) => {
    const line = {
      dispatchId: request.dispatchId,
      idempotencyKey: keyOf(request, call),
      run: request.runId,
      node: request.stepId,
      attempt: request.attempt,
      time: new Date(at).toISOString(),
      ...call,
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  };
}

/** Returns the idempotency key, which is the same for every repetition of a call. */
function keyOf({ idempotencyKey }: AdapterRequest, call: LedgerCall | undefined): string {
  if (call === undefined) return idempotencyKey;
  return call.kind === "tool" ? call.callId : `${idempotencyKey}/${call.round}`;
}
