import { digestText, getOwn } from "../base/index.ts";
import type { NodeStatus } from "../event/index.ts";
import type { Attempt, NodeHistory, RunHistory } from "./run-history.ts";

/** The agent, model, approvals and cost that produced a value. Instants are epoch milliseconds. */
export interface AttemptFacts {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly nodeId: string;
  readonly attempt: number;
  readonly status: NodeStatus;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly agentId: string | null;
  readonly gatewayId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  /** Digest of the prompt that a person was shown or wrote. The prompt itself is stored with the node. */
  readonly promptDigest: string | null;
  /** The person who wrote the prompt of the node in place of the text of its step. */
  readonly promptBy: string | null;
  readonly verdictId: string | null;
  /** Policies, with versions, that the verdict evaluated or that an approval was about. */
  readonly policies: readonly string[];
  readonly approvals: readonly ApprovalFacts[];
  /** Tool calls whose results the attempt received. */
  readonly calls: readonly CallFacts[];
  readonly childRunId: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  /** Whether a rewind or a recover discarded its result. */
  readonly isInvalidated: boolean;
}

export interface CallFacts {
  readonly callId: string;
  readonly tool: string;
  readonly server: string | null;
  readonly isError: boolean;
  /** The person who supplied the result in place of the tool. */
  readonly by: string | null;
}

export interface ApprovalFacts {
  readonly approvalId: string;
  readonly source: string;
  readonly status: string;
  readonly decision: string | null;
  readonly by: string | null;
  readonly reason: string | null;
  readonly changed: readonly string[];
}

/** Returns the attempt that produced the result of a history. Without a result, the last attempt. */
export function attemptOf({ attempts, result }: NodeHistory): Attempt | undefined {
  const made = result === null ? undefined : attempts.find(({ attempt }) => attempt === result.attempt);
  return made ?? attempts.at(-1);
}

export function attemptFacts(run: RunHistory, history: NodeHistory, attempt: Attempt): AttemptFacts {
  const { errorCode: _error, ...facts } = attempt;
  const approvals = [...history.approvals.values()];
  const looked = attempt.verdictId === null ? [] : (run.policies.get(attempt.verdictId) ?? []);
  const rendered = approvals.findLast((approval) => approval.rendered !== null)?.rendered ?? null;
  const edited = getOwn(run.start?.prompts ?? {}, history.nodeId);
  const prompt = edited?.text ?? rendered;
  return {
    runId: run.runId,
    workflow: run.workflow,
    version: run.start?.version ?? null,
    ...facts,
    promptDigest: prompt === null ? null : digestText(prompt),
    promptBy: edited?.by ?? null,
    policies: [...new Set([...looked, ...approvals.flatMap(({ policies }) => policies)])],
    approvals: approvals.map(({ policies: _policies, rendered: _rendered, ...approval }) => approval),
    calls: history.calls.map(({ callId, tool, server, isError, by }) => ({ callId, tool, server, isError, by })),
    isInvalidated: history.invalidatedAt !== null,
  };
}
