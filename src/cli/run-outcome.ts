import { isTerminal, type RunStatus } from "../core/event/index.ts";
import { isUpstreamFailure, type NodeResult, type RunProjection } from "../core/view/index.ts";
import { EXIT } from "./exit-code.ts";
import { formatCost, formatCount, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { createPaint, oneLine, printable } from "./terminal-text.ts";

const FAILURES_SHOWN = 10;

/** With what a run as a whole has ended; `code` null: it was cancelled. */
export interface RunFault {
  readonly code: string | null;
  readonly message: string | null;
}

/** How a run came to rest, wherever it ran. */
export interface RunOutcome {
  readonly workflow: string;
  readonly projection: RunProjection;
  readonly durationMs: number | null;
  /** Why it ended without having completed; null: it is not known, or its nodes say it. */
  readonly error: RunFault | null;
  /** Nodes that nothing depends on, in plan order: what they gave is the result. */
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

/** How it ended: failures and a summary for people, the result itself on standard output. */
export function printOutcome(io: Io, outcome: RunOutcome, { isQuiet }: { readonly isQuiet: boolean }): void {
  const { projection } = outcome;
  // A failure the workflow tolerates is shown as it happens and counted, not held against the run.
  if (projection.status !== "completed") printFailures(io, projection.nodeResults, outcome);
  if (!isQuiet && isTerminal(projection.status)) printSummary(io, outcome);
  printResults(io, outcome);
}

/** Of the run itself what none of its nodes has failed with: its outputs, what came last, its time, its cancelling. */
export function printFailures(
  io: Io,
  nodes: readonly NodeResult[],
  run: {
    readonly workflow: string;
    readonly projection: Pick<RunProjection, "status">;
    readonly error: RunFault | null;
  } | null = null,
): void {
  // What only follows from a failure would hide it.
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

/** The outputs of the document; else what the last nodes gave: alone as it is, several under their names. */
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
