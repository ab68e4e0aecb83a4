import type { Timer } from "../../core/engine/index.ts";
import type { Changes } from "../../governance/index.ts";
import type { RunCommit } from "../../store/index.ts";
import type { Work } from "./decide-run.ts";

/** What a commit that stands has changed, as the judge counts it. */
export function changesOf({ facts, admissions, inTurns }: Work, commit: RunCommit): Changes {
  const { runId, slots, ledger, memories, closed } = commit;
  const ended = closed.map(({ nodeId }) => nodeId);
  const taken = [...admissions.values()];
  return { runId, ended, settled: facts.settled, taken, takenInTurns: inTurns, slots, ledger, memories };
}

/** Timers of a dispatched attempt have no row of their own, and two kinds are never stored. */
export function isStored({ kind }: Timer): boolean {
  return kind !== "attempt" && kind !== "lost" && kind !== "wake";
}
