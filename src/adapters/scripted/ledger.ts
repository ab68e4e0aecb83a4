import { appendFileSync } from "node:fs";
import type { AdapterRequest } from "../../adapter/index.ts";
import type { JsonObject } from "../../core/base/index.ts";

/** What a turn does, one thing at a time. */
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
 * Where every call is written down before it has any effect, so that effects can be judged from outside. Absent `call`: the
 * request as a whole.
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

/** The same for every repetition of the same thing. */
function keyOf({ idempotencyKey }: AdapterRequest, call: LedgerCall | undefined): string {
  if (call === undefined) return idempotencyKey;
  return call.kind === "tool" ? call.callId : `${idempotencyKey}/${call.round}`;
}
