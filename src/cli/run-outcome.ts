import { isTerminal, type RunStatus } from "../core/event/index.ts";
import { isUpstreamFailure, type NodeResult, type RunProjection } from "../core/view/index.ts";
import { EXIT } from "./exit-code.ts";
import { formatCost, formatCount, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { createPaint, oneLine, printable } from "./terminal-text.ts";

const FAILURES_SHOWN = 10;

/** Error with which the run as a whole ended. `code` is null when the run was cancelled. */
export interface RunFault {
  readonly code: string | null;
  readonly message: string | null;
}

/** The state in which a run ended or stopped for a person, on a server or in this process. */
export interface RunOutcome {
  readonly workflow: string;
  readonly projection: RunProjection;
  readonly durationMs: number | null;
  /** Reason why the run ended without completing. Null when it is unknown, or when its failed nodes already show it. */
  readonly error: RunFault | null;
  /** Nodes that nothing depends on, in plan order. Their outputs are the result. */
  readonly leaves: readonly string[];
}

export function exitCodeOf(status: RunStatus): number {
  switch (status) {
    case "completed":
      return EXIT.fine;
    case "cancelled":
      return EXIT.cancelled;
    case "failed":
    case "timed_out":
      return EXIT.runFailed;
    case "queued":
    case "running":
    case "recovered":
      return EXIT.waiting;
  }
}

/** Prints failures and a summary for people, and the result itself on standard output. */
export function printOutcome(io: Io, outcome: RunOutcome, { isQuiet }: { readonly isQuiet: boolean }): void {
  const { projection } = outcome;
  // A failure that the workflow tolerates is shown when it happens and counted, but not reported as a failure of the run.
  if (projection.status !== "completed") printFailures(io, projection.nodeResults, outcome);
  if (!isQuiet && isTerminal(projection.status)) printSummary(io, outcome);
  printResults(io, outcome);
}

/** Prints the failed nodes, and the error of the run if no node failed with it: bad outputs, `finally`, timeout or cancellation. */
export function printFailures(
  io: Io,
  nodes: readonly NodeResult[],
  run: {
    readonly workflow: string;
    readonly projection: Pick<RunProjection, "status">;
    readonly error: RunFault | null;
  } | null = null,
): void {
  // Failures caused only by another failure are left out, as they would hide the cause.
  const failed = nodes.filter(
    (node) => (node.status === "failed" || node.status === "timed_out") && !isUpstreamFailure(node) && !node.isHandled,
  );
  const error = run?.error ?? null;
  const isOfNode = failed.some(({ errorCode }) => errorCode === error?.code);
  if (run !== null && error !== null && !isOfNode) {
    const why = [error.code, error.message].filter((part) => part !== null && part !== "").join(": ");
    if (why !== "") io.err.write(`${oneLine(run.workflow)}: ${run.projection.status}: ${oneLine(why)}\n`);
  }
  for (const { nodeId, status, errorCode, errorMessage } of failed.slice(0, FAILURES_SHOWN)) {
    io.err.write(`${printable(nodeId)}: ${status}: ${errorCode ?? status}: ${oneLine(errorMessage ?? "")}\n`);
  }
  if (failed.length > FAILURES_SHOWN) io.err.write(`… and ${failed.length - FAILURES_SHOWN} more failed\n`);
}

function printSummary(io: Io, { workflow, projection, durationMs }: RunOutcome): void {
  const paint = createPaint(io.err, io.env);
  const { status, executedCount, upstreamFailedCount, nodeResults, costMicros, runId } = projection;
  const handled = nodeResults.filter(({ isHandled }) => isHandled).length;
  const failed = projection.failedCount - upstreamFailedCount - handled;
  const isFine = status === "completed";
  const count = (wanted: NodeResult["status"]): number =>
    nodeResults.reduce((sum, node) => sum + (node.status === wanted ? 1 : 0), 0);
  const skipped = count("skipped");
  const cancelled = count("cancelled");
  const parts = [
    `${oneLine(workflow)} ${status}${durationMs === null ? "" : ` in ${formatDuration(durationMs)}`}`,
    `${formatCount(executedCount, "node")} completed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(handled > 0 ? [`${handled} handled`] : []),
    ...(upstreamFailedCount > 0 ? [`${upstreamFailedCount} not run`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
    ...(costMicros > 0 ? [formatCost(costMicros)] : []),
    runId,
  ];
  io.err.write(`${paint(isFine ? "green" : "red", isFine ? "✓" : "✗")} ${parts.join(" · ")}\n`);
}

/** Prints the declared outputs of the run. Without them, prints the outputs of the last nodes: one alone, several by node id. */
function printResults(io: Io, { projection, leaves }: RunOutcome): void {
  if (projection.outputs !== null) {
    io.out.write(`${JSON.stringify(projection.outputs, null, 2)}\n`);
    return;
  }
  const wanted = new Set(leaves);
  const results = projection.nodeResults
    .filter(({ nodeId, status }) => status === "completed" && wanted.has(nodeId))
    .map((node) => ({ nodeId: node.nodeId, text: outputText(node) }));
  const show = io.out.isTty ? printable : (text: string): string => text;
  for (const { nodeId, text } of results) {
    const heading = results.length > 1 ? `# ${nodeId}\n` : "";
    io.out.write(`${heading}${show(text)}${text.endsWith("\n") ? "" : "\n"}`);
  }
}

export function outputText({ output, outputs }: NodeResult): string {
  return output === null || output === "" ? JSON.stringify(outputs ?? {}, null, 2) : output;
}
