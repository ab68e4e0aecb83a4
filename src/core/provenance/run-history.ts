import type { JsonObject } from "../base/index.ts";
import type { EventPayload, NodeStatus, RunStatus } from "../event/index.ts";
import type { ArgOrigin } from "./log.ts";

/** A run, node by node: what each was given, who worked on it, and its result. */
export interface RunHistory {
  readonly runId: string;
  readonly workflow: string;
  readonly policies: ReadonlyMap<string, readonly string[]>;
  readonly nodes: ReadonlyMap<string, NodeLives>;
  /** Every value that was handed over, by the node it came from; '' for args. */
  readonly uses: ReadonlyMap<string, readonly Use[]>;
  /** The life of a node that waits for each child run. */
  readonly callers: ReadonlyMap<string, Life>;
  readonly start: Start | null;
  readonly end: RunEnd | null;
}

export interface Start {
  readonly at: number;
  readonly args: JsonObject;
  readonly version: number | null;
  readonly parentRunId: string | null;
  readonly sourceRunId: string | null;
  readonly origins: ReadonlyMap<string, ArgOrigin>;
  /** What a person wrote in place of the text of a node, by its id. */
  readonly prompts: NonNullable<EventPayload<"run.started">["prompts"]>;
}

export interface RunEnd {
  readonly at: number;
  readonly status: RunStatus;
  readonly errorCode: string | null;
}

export interface NodeLives {
  readonly nodeId: string;
  /** A rewind or a recover ends one and begins the next; the last is the current one. */
  readonly lives: readonly Life[];
}

/** What a node did from the moment it was given its inputs until its result stood, or was taken back. */
export interface Life {
  readonly nodeId: string;
  readonly inputs: Input[];
  readonly attempts: Attempt[];
  readonly approvals: Map<string, ApprovalHistory>;
  /** Tool calls of its agent whose results it had, in the order in which they came. */
  readonly calls: CallHistory[];
  instanceIds: readonly string[] | null;
  /** It was done in rounds, of which the last handed its result over. */
  isRepeated: boolean;
  result: Result | null;
  invalidatedAt: number | null;
}

export interface Input {
  readonly eventId: number;
  readonly sourceRunId: string;
  readonly sourceNodeId: string | null;
  readonly sourceOutputPath: string;
  readonly targetInputPath: string;
  readonly transform: string | null;
}

export interface Use {
  readonly life: Life;
  readonly input: Input;
}

export interface Result {
  readonly eventId: number;
  readonly at: number;
  readonly attempt: number | null;
  readonly outputs: JsonObject;
  readonly isCarried: boolean;
  /** The person who gave it in place of the one that would have been carried over. */
  readonly by: string | null;
}

export interface Attempt {
  readonly nodeId: string;
  readonly attempt: number;
  readonly startedAt: number;
  readonly agentId: string | null;
  readonly gatewayId: string | null;
  readonly provider: string | null;
  model: string | null;
  readonly verdictId: string | null;
  endedAt: number | null;
  status: NodeStatus;
  errorCode: string | null;
  childRunId: string | null;
  costMicros: number;
  inputTokens: number;
  outputTokens: number;
}

export interface CallHistory {
  readonly callId: string;
  readonly tool: string;
  readonly server: string | null;
  readonly round: number;
  /** The attempt in which it was made; null: none of this run. */
  readonly attempt: number | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isError: boolean;
  /** The person who gave the result in place of the tool. */
  readonly by: string | null;
  /** It was made in the run this one was branched from. */
  readonly isCarried: boolean;
}

export interface ApprovalHistory {
  readonly approvalId: string;
  readonly source: string;
  readonly policies: readonly string[];
  readonly rendered: string | null;
  status: string;
  decision: string | null;
  by: string | null;
  reason: string | null;
  /** Names of the values the approver changed. */
  changed: readonly string[];
}

/** Inputs count as used once something was done with them. */
export function isUsed({ attempts, instanceIds, isRepeated }: Life): boolean {
  return attempts.length > 0 || instanceIds !== null || isRepeated;
}
