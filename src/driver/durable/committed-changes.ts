import type { Timer } from "../../core/engine/index.ts";
import type { Changes } from "../../governance/index.ts";
import type { RunCommit } from "../../store/index.ts";
import type { Work } from "./decide-run.ts";

/** Returns the changes of a successful commit in the form that the judge counts. */
export function changesOf({ facts, admissions, inTurns }: Work, commit: RunCommit): Changes {
  const { runId, slots, ledger, memories, closed } = commit;
  const ended = closed.map(({ nodeId }) => nodeId);
  const taken = [...admissions.values()];
  return { runId, ended, settled: facts.settled, taken, takenInTurns: inTurns, slots, ledger, memories };
}

/** Returns whether a timer has a row. The deadline of a dispatched attempt has none, and two kinds are never stored. */
export function isStored({ kind }: Timer): boolean {
  return kind !== "attempt" && kind !== "lost" && kind !== "wake";
}
