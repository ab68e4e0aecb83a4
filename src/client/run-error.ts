import type { Run, State } from "../contract/index.ts";

/** Thrown when an awaited run did not complete, or not in time. */
export class RunError extends Error {
  override readonly name = "RunError";
  readonly runId: string;
  /** Status of the run. After `result_timeout` the run is still open. */
  readonly status: Run["status"];
  /** `result_timeout`, or a code for the end of the run: `run_failed`, `run_cancelled`, `run_timed_out` … */
  readonly code: string;
  /** The first node that failed by itself. Null when there is none. */
  readonly node: { readonly id: string; readonly code: string; readonly message: string } | null;

  /** Error of the run itself. May be set although no node has failed, for example for invalid outputs. */
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

/** Builds the error for a run that has ended without completing. */
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
