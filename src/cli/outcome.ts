import { isTerminal } from "../core/event/index.ts";
import type { RunState } from "../core/engine/index.ts";
import { completedLeaves, type Settlement } from "../driver/index.ts";
import { printOpenApprovals } from "./approvals.ts";
import { EXIT } from "./exit-code.ts";
import { formatCost, formatCount, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { createPaint, oneLine, printable } from "./terminal-text.ts";

const FAILURES_SHOWN = 10;

export function exitCodeOf(settlement: Settlement): number {
  if (settlement.kind === "waiting") return EXIT.waiting;
  if (settlement.kind === "parked") return EXIT.runFailed;
  switch (settlement.state.status) {
    case "completed":
      return EXIT.fine;
    case "cancelled":
      return EXIT.cancelled;
    default:
      return EXIT.runFailed;
  }
}

/** How it ended: failures and a summary for people, the result itself on standard output. */
export function printOutcome(
  io: Io,
  settlement: Settlement,
  { isQuiet, isJson }: { readonly isQuiet: boolean; readonly isJson: boolean },
): void {
  const { state } = settlement;
  if (settlement.kind === "parked") {
    io.err.write(`sluice: internal error in run ${state.runId}: ${printable(settlement.message)}\n`);
    io.err.write("  the run was stopped where it stood; please report this with the workflow file\n");
    return;
  }
  // A failure the workflow tolerates is told as it happens and counted, not held against the run.
  if (state.status !== "completed") printFailures(io, state);
  if (settlement.kind === "waiting") printOpenApprovals(io, settlement.approvals);
  else if (!isQuiet && !isJson) printSummary(io, state);
  if (!isJson) printResults(io, state);
}

function printFailures(io: Io, state: RunState): void {
  const failed = state.nodes.flatMap(({ id, now }) =>
    now.status === "failed" || now.status === "timed_out" ? [{ id, ...now }] : [],
  );
  for (const { id, status, errorCode, errorMessage } of failed.slice(0, FAILURES_SHOWN)) {
    io.err.write(`${printable(id)}: ${status}: ${errorCode}: ${oneLine(errorMessage)}\n`);
  }
  if (failed.length > FAILURES_SHOWN) io.err.write(`… and ${failed.length - FAILURES_SHOWN} more failed\n`);
}

function printSummary(io: Io, state: RunState): void {
  const paint = createPaint(io.err, io.env);
  const { counts, plan, status, startedAt, endedAt, costMicros, runId } = state;
  const isFine = status === "completed";
  const failed = counts.failed + counts.timed_out;
  const parts = [
    `${plan.name} ${status}${isTerminal(status) && startedAt !== null && endedAt !== null ? ` in ${formatDuration(endedAt - startedAt)}` : ""}`,
    `${formatCount(counts.completed, "node")} completed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(counts.skipped > 0 ? [`${counts.skipped} skipped`] : []),
    ...(counts.cancelled > 0 ? [`${counts.cancelled} cancelled`] : []),
    ...(costMicros > 0 ? [formatCost(costMicros)] : []),
    runId,
  ];
  io.err.write(`${paint(isFine ? "green" : "red", isFine ? "✓" : "✗")} ${parts.join(" · ")}\n`);
}

/** What the last nodes gave: alone as it is, several under their names. */
function printResults(io: Io, state: RunState): void {
  const leaves = completedLeaves(state).map(({ nodeId, now }) => ({
    nodeId,
    text: now.envelope.output === "" ? JSON.stringify(now.outputs, null, 2) : now.envelope.output,
  }));
  const show = io.out.isTty ? printable : (text: string): string => text;
  for (const { nodeId, text } of leaves) {
    const heading = leaves.length > 1 ? `# ${nodeId}\n` : "";
    io.out.write(`${heading}${show(text)}${text.endsWith("\n") ? "" : "\n"}`);
  }
}
