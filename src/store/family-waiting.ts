import { isTerminal, type OwnWait, type RunStatus, type WaitingFor } from "../core/event/index.ts";

interface FamilyHead {
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly status: RunStatus;
  readonly waitingFor: OwnWait | null;
}

/** The order in which wait reasons are considered for a run with waiting child runs. The first that applies is shown. */
const ORDER: readonly WaitingFor[] = ["gate", "timer", "event"];

/**
 * Returns what each run waits for, including its child runs: a person as soon as any run of the family needs an answer,
 * another reason only when no run of the family is under way. `heads` has every open run of the families.
 */
export function familyWaiting(heads: Iterable<FamilyHead>): ReadonlyMap<string, WaitingFor> {
  const open = [...heads].filter(({ status }) => !isTerminal(status));
  const children = new Map<string, FamilyHead[]>();
  for (const head of open) {
    if (head.parentRunId === null) continue;
    const siblings = children.get(head.parentRunId);
    if (siblings === undefined) children.set(head.parentRunId, [head]);
    else siblings.push(head);
  }
  const found = new Map<string, WaitingFor | null>();
  const waitOf = (head: FamilyHead): WaitingFor | null => {
    const known = found.get(head.runId);
    if (known !== undefined) return known;
    const wait = combineWaits(head.waitingFor, (children.get(head.runId) ?? []).map(waitOf));
    found.set(head.runId, wait);
    return wait;
  };
  const waiting = new Map<string, WaitingFor>();
  for (const head of open) {
    const wait = waitOf(head);
    if (wait !== null) waiting.set(head.runId, wait);
  }
  return waiting;
}

function combineWaits(own: OwnWait | null, ofChildren: readonly (WaitingFor | null)[]): WaitingFor | null {
  const all = [own, ...ofChildren];
  if (all.includes("person")) return "person";
  if (all.includes(null)) return null;
  return ORDER.find((each) => all.includes(each)) ?? null;
}
