import type { Family } from "./family.ts";
import { argOriginsOf, type RunLog } from "./log.ts";
import type { RunHistory } from "./run-history.ts";

/** Runs a log names: its parent, the run it continues, those its args were taken from, its children. */
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

/** A run and everything it started, each once, parents before children. */
export function withChildren({ runs }: Family, runId: string): readonly RunHistory[] {
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

/** The topmost run above one, as far as the family knows. */
export function rootOf({ runs }: Family, run: RunHistory): RunHistory {
  const seen = new Set<string>();
  let top = run;
  for (let above = parentOf(runs, top); above !== undefined; above = parentOf(runs, top)) {
    if (seen.has(above.runId)) break;
    seen.add(above.runId);
    top = above;
  }
  return top;
}

function parentOf(runs: Family["runs"], { start }: RunHistory): RunHistory | undefined {
  return runs.get(start?.parentRunId ?? "");
}
