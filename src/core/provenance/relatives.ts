import type { RelatedRuns } from "./related-runs.ts";
import { argOriginsOf, type RunLog } from "./log.ts";
import type { RunHistory } from "./run-history.ts";

/** Returns the runs that a log names: parent, continued run, sources of its args, and children. */
export function relativesOf({ events }: RunLog): readonly string[] {
  const found = new Set<string>();
  for (const event of events) {
    if (event.type === "child.started" || event.type === "run.finally") found.add(event.payload.childRunId);
    if (event.type !== "run.started") continue;
    const { parentRunId, sourceRunId } = event.payload;
    if (parentRunId !== undefined) found.add(parentRunId);
    if (sourceRunId !== undefined) found.add(sourceRunId);
    for (const { runId } of argOriginsOf(event).values()) found.add(runId);
  }
  return [...found];
}

/** Returns a run and all runs below it, each once, parents before children. */
export function withChildren({ runs }: RelatedRuns, runId: string): readonly RunHistory[] {
  const found = new Map<string, RunHistory>();
  const open = [runId];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const run = runs.get(next);
    if (run === undefined || found.has(next)) continue;
    found.set(next, run);
    open.push(...run.callers.keys());
  }
  return [...found.values()];
}

/** Returns the topmost known ancestor of a run. */
export function rootOf({ runs }: RelatedRuns, run: RunHistory): RunHistory {
  const seen = new Set<string>();
  let top = run;
  for (let above = parentOf(runs, top); above !== undefined; above = parentOf(runs, top)) {
    if (seen.has(above.runId)) break;
    seen.add(above.runId);
    top = above;
  }
  return top;
}

function parentOf(runs: RelatedRuns["runs"], { start }: RunHistory): RunHistory | undefined {
  return runs.get(start?.parentRunId ?? "");
}
