import type { Family } from "./family.ts";
import { argOriginsOf, type RunLog } from "./log.ts";
import type { RunTale } from "./tale.ts";

/** Runs a log speaks of: who started it, what it goes on from, what its args were taken from, what it started. */
export function relativesOf({ events }: RunLog): readonly string[] {
  const found = new Set<string>();
  for (const event of events) {
    if (event.type === "child.started") found.add(event.payload.childRunId);
    if (event.type !== "run.started") continue;
    const { parentRunId, sourceRunId } = event.payload;
    if (parentRunId !== undefined) found.add(parentRunId);
    if (sourceRunId !== undefined) found.add(sourceRunId);
    for (const { runId } of argOriginsOf(event).values()) found.add(runId);
  }
  return [...found];
}

/** A run and everything it started, each once, parents before children. */
export function withChildren({ tales }: Family, runId: string): readonly RunTale[] {
  const found = new Map<string, RunTale>();
  const open = [runId];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const tale = tales.get(next);
    if (tale === undefined || found.has(next)) continue;
    found.set(next, tale);
    open.push(...tale.callers.keys());
  }
  return [...found.values()];
}

/** The topmost run above one, as far as the family knows. */
export function rootOf({ tales }: Family, tale: RunTale): RunTale {
  const seen = new Set<string>();
  let top = tale;
  for (let above = parentOf(tales, top); above !== undefined; above = parentOf(tales, top)) {
    if (seen.has(above.runId)) break;
    seen.add(above.runId);
    top = above;
  }
  return top;
}

function parentOf(tales: Family["tales"], { start }: RunTale): RunTale | undefined {
  return tales.get(start?.parentRunId ?? "");
}
