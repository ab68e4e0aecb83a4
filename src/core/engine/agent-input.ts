/** Inputs that report or request something during the turn of an agent. */
import type { Json } from "../base/index.ts";
import type { AskedCall, RoundEnd } from "../event/index.ts";
import type { Report } from "./input.ts";

/** The execution of an attempt that reports. */
export interface Execution {
  readonly nodeId: string;
  readonly attempt: number;
  /** Absent for the first segment. */
  readonly segment?: number;
}

/** Reports that a model answered in the turn of an agent. */
export interface RoundInput extends Execution, Report {
  readonly type: "round";
  /** Counted from 0 over the whole turn. */
  readonly round: number;
  readonly finish: RoundEnd;
  readonly text: string;
  readonly message: Json;
  readonly calls: readonly AskedCall[];
}

/** A ruling requested for a single call: no round contains the call, or its round was stopped before the call was judged. */
export interface ToolCallInput extends Execution {
  readonly type: "tool_call";
  readonly callId: string;
  readonly round: number;
  readonly call: AskedCall;
  readonly waits: boolean;
  /** Parts left out of the request, for the log of the node. */
  readonly warnings?: readonly string[];
}

export interface ToolResultInput extends Execution {
  readonly type: "tool_result";
  readonly callId: string;
  readonly result: Json;
  readonly isError: boolean;
  readonly durationMs: number;
  /** Parts left out of the report, for the log of the node. */
  readonly warnings?: readonly string[];
}
