import type { NodeDetail } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";
import { NO_RESULT, type NodeView } from "../../../core/view/index.ts";

export interface Instruction {
  readonly layer: number;
  readonly source: string;
  readonly text: string;
}

/** Fields of an attempt that only the console reads. */
interface AttemptMore {
  readonly instructions: readonly Instruction[];
  readonly adapterLogs: readonly JsonObject[];
  readonly sessionId: string | null;
  readonly conversation: readonly JsonObject[];
  readonly request: Omit<NonNullable<NodeDetail["request"]>, "attempt"> | null;
}

export type DetailedAttempt = NodeDetail["attempts"][number] & AttemptMore;
export type DetailedNode = Omit<NodeDetail, "attempts"> & { readonly attempts: readonly DetailedAttempt[] };

const NOTHING_MORE: AttemptMore = {
  instructions: [],
  adapterLogs: [],
  sessionId: null,
  conversation: [],
  request: null,
};

export function readDetail(detail: NodeDetail): DetailedNode {
  return { ...detail, attempts: detail.attempts.map((attempt) => ({ ...NOTHING_MORE, ...attempt })) };
}

/** Returns the details as of an earlier event, without later facts and without the end of an attempt that was still open then. */
export function detailAt(detail: DetailedNode, node: NodeView, eventId: number): DetailedNode {
  const isOpen = node.status === "running" || node.status === "streaming";
  const attempts = detail.attempts
    .filter(({ attempt }) => attempt <= node.attempts)
    .map((attempt) => (isOpen && attempt.attempt === node.attempts ? stillOpen(attempt, node) : attempt))
    .map((attempt) => ({ ...attempt, logs: attempt.logs.filter((entry) => entry.eventId <= eventId) }));
  const newest = attempts.at(-1);
  return {
    ...detail,
    attempts,
    verdicts: detail.verdicts.filter((verdict) => verdict.eventId <= eventId),
    inputs: newest === undefined ? [] : detail.inputs,
    request: newest === undefined || newest.request === null ? null : { attempt: newest.attempt, ...newest.request },
  };
}

function stillOpen(attempt: DetailedAttempt, { status, streamedText }: NodeView): DetailedAttempt {
  return {
    ...attempt,
    status,
    endedAt: null,
    ...NO_RESULT,
    costMicros: 0,
    inputTokens: 0,
    outputTokens: 0,
    streamedText,
    adapterLogs: [],
    conversation: [],
  };
}
