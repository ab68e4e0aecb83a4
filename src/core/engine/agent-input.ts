/** What the turn of an agent reports and asks. */
import type { Json } from "../base/index.ts";
import type { AskedCall, RoundEnd } from "../event/index.ts";
import type { Report } from "./input.ts";

/** Which execution of an attempt reports. */
export interface Execution {
  readonly nodeId: string;
  readonly attempt: number;
  /** Absent: the first. */
  readonly segment?: number;
}

/** A model has answered in the turn of an agent. */
export interface RoundInput extends Execution, Report {
  readonly type: "round";
  /** Counted from 0 over the whole turn. */
  readonly round: number;
  readonly finish: RoundEnd;
  readonly text: string;
  readonly message: Json;
  readonly calls: readonly AskedCall[];
}

/** A call that is asked about on its own: no round has named it, or its round was stopped before it was judged. */
export interface ToolCallInput extends Execution {
  readonly type: "tool_call";
  readonly callId: string;
  readonly round: number;
  readonly call: AskedCall;
  readonly waits: boolean;
  /** What was left out of the question, for the log of the node. */
  readonly warnings?: readonly string[];
}

export interface ToolResultInput extends Execution {
  readonly type: "tool_result";
  readonly callId: string;
  readonly result: Json;
  readonly isError: boolean;
  readonly durationMs: number;
  /** As with a question. */
  readonly warnings?: readonly string[];
}
