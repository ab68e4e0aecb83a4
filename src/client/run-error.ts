import type { Run, State } from "../contract/index.ts";

/** A run that was waited for did not complete, or not in time. */
export class RunError extends Error {
  override readonly name = "RunError";
  readonly runId: string;
  /** Of the run; after `result_timeout` it is still open. */
  readonly status: Run["status"];
  /** `result_timeout`, or what became of the run: `run_failed`, `run_cancelled`, `run_timed_out` … */
  readonly code: string;
  /** The first node that failed by itself, where there is one. */
  readonly node: { readonly id: string; readonly code: string; readonly message: string } | null;

  /** Of the run itself: also where no node has failed, for its outputs for instance. */
  readonly error: NonNullable<Run["error"]> | null;

  constructor(
    runId: string,
    status: Run["status"],
    code: string,
    { node = null, error = null }: Partial<Pick<RunError, "node" | "error">> = {},
  ) {
    const why = node === null ? textOf(error) : `: ${node.id}: ${node.code}: ${node.message}`;
    super(
      code === RESULT_TIMEOUT ? `run ${runId} has not ended in time; it continues` : `run ${runId} ${status}${why}`,
    );
    this.runId = runId;
    this.status = status;
    this.code = code;
    this.node = node;
    this.error = error;
  }
}

function textOf(error: RunError["error"]): string {
  return error === null ? "" : ["", error.code, error.message].filter((part) => part !== null).join(": ");
}

export const RESULT_TIMEOUT = "result_timeout";

/** Of a run that has ended without completing. */
export function endedBadly(
  { id, status, error }: Pick<Run, "id" | "status" | "error">,
  { nodeResults }: Pick<State, "nodeResults">,
): RunError {
  const failed = nodeResults.find(
    ({ status: own, errorCode, isHandled }) =>
      (own === "failed" || own === "timed_out") && !isHandled && errorCode !== "upstream_failure",
  );
  const node =
    failed === undefined
      ? null
      : { id: failed.nodeId, code: failed.errorCode ?? failed.status, message: failed.errorMessage ?? "" };
  return new RunError(id, status, `run_${status}`, { node, error: error ?? null });
}
