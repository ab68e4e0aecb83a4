import type { JsonObject } from "../../../src/core/base/index.ts";
import type { EffectGuarantee } from "../../../src/core/event/index.ts";

/** The tools that files name. */
export const TOOLS = ["find", "note", "pay", "wire"] as const;

const ONCE: ReadonlySet<string> = new Set(["pay", "wire"]);

/** What an author says of a tool. */
export function effectsOf(tool: string): EffectGuarantee {
  return ONCE.has(tool) ? "at_most_once" : "at_least_once";
}

/** A line in the ledger of the tool server: a call that was made. */
export interface MadeCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly nodeId: string;
  readonly execution: ExecutionStamp;
}

/** A line in the ledger of the model: a round that was paid. */
export interface PaidRound {
  readonly nodeId: string;
  readonly epoch: number;
  readonly round: number;
  readonly execution: ExecutionStamp;
}

/** Which execution it was, and the last event of the log when that was sent. */
export interface ExecutionStamp {
  readonly dispatchId: string;
  readonly sentAfter: number;
}
