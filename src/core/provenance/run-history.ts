import type { JsonObject } from "../base/index.ts";
import type { EventPayload, NodeStatus, RunStatus } from "../event/index.ts";
import type { ArgOrigin } from "./log.ts";

/** History of a run by node: the inputs, attempts and result of each. */
export interface RunHistory {
  readonly runId: string;
  readonly workflow: string;
  readonly policies: ReadonlyMap<string, readonly string[]>;
  readonly nodes: ReadonlyMap<string, NodeHistories>;
  /** Every value that was used, by its source node; '' for args. */
  readonly uses: ReadonlyMap<string, readonly Use[]>;
  /** The history of the node that waits for each child run, by id of the child run. */
  readonly callers: ReadonlyMap<string, NodeHistory>;
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
  /** Texts that a person wrote in place of the text of a node, by node id. */
  readonly prompts: NonNullable<EventPayload<"run.started">["prompts"]>;
}

export interface RunEnd {
  readonly at: number;
  readonly status: RunStatus;
  readonly errorCode: string | null;
}

export interface NodeHistories {
  readonly nodeId: string;
  /** A rewind or a recover ends one history and begins the next. The last is the current one. */
  readonly histories: readonly NodeHistory[];
}

/** The history of a node from its first inputs until its result was recorded or invalidated. */
export interface NodeHistory {
  readonly nodeId: string;
  readonly inputs: Input[];
  readonly attempts: Attempt[];
  readonly approvals: Map<string, ApprovalHistory>;
  /** Tool calls whose results the agent received, in order of arrival. */
  readonly calls: CallHistory[];
  instanceIds: readonly string[] | null;
  /** Whether the node ran in rounds; the result is that of the last round. */
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
  readonly history: NodeHistory;
  readonly input: Input;
}

export interface Result {
  readonly eventId: number;
  readonly at: number;
  readonly attempt: number | null;
  readonly outputs: JsonObject;
  readonly isCarried: boolean;
  /** The person who supplied the result in place of the carried one. */
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
  /** The attempt that made the call. Null when no attempt of this run did. */
  readonly attempt: number | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isError: boolean;
  /** The person who supplied the result in place of the tool. */
  readonly by: string | null;
  /** Whether the call was made in the run from which this one was branched. */
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
  /** Names of values that the approver changed. */
  changed: readonly string[];
}

/** Returns whether a history used its inputs, that is, whether any work was done with them. */
export function isUsed({ attempts, instanceIds, isRepeated }: NodeHistory): boolean {
  return attempts.length > 0 || instanceIds !== null || isRepeated;
}
