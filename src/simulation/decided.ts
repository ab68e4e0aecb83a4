import type { RunEvent } from "../core/event/index.ts";
import type { Explanation } from "../core/governance/index.ts";
import type { StoredVerdict } from "../store/index.ts";

/** The result of the gates for a node, combined for all its instances. */
export interface Decided {
  readonly disposition: StoredVerdict["disposition"];
  readonly gate: string | null;
  readonly code: string | null;
  readonly explanation: Explanation | null;
  /** The amount reserved for all its attempts; null when none is reserved. */
  readonly reservedMicros: number | null;
}

const STRICTNESS = { allow: 0, hold: 1, block: 2 } as const;

/** Returns the path of a node without the indices of instances: `each/check` of `each[2]/check`. */
export function baseOf(path: string): string {
  return path.replaceAll(/\[\d+\]/g, "");
}

/** A run of a family: the path of the node that started it, with a slash; '' for the first run. */
interface Placed {
  readonly prefix: string;
}

/** Reads the decisions from the logs, for simulations whose verdicts are nowhere else. */
export function decidedByLog(
  runs: readonly (Placed & { readonly log: readonly RunEvent[] })[],
): ReadonlyMap<string, Decided> {
  const decided = new Map<string, Decided>();
  for (const { prefix, log } of runs) {
    for (const { type, payload } of log) {
      if (type !== "gate.decided") continue;
      const { disposition, gate = null, code = null } = payload;
      const path = baseOf(`${prefix}${payload.nodeId}`);
      const found = { disposition, gate, code, explanation: null, reservedMicros: null };
      decided.set(path, stricter(decided.get(path), found));
    }
  }
  return decided;
}

export function decidedByRecords(
  runs: readonly (Placed & { readonly verdicts: readonly StoredVerdict[] })[],
): ReadonlyMap<string, Decided> {
  const instances = new Map<string, Decided>();
  for (const { prefix, verdicts } of runs) {
    for (const verdict of verdicts) {
      // A verdict about a tool call does not concern the decision about its node.
      if (verdict.body["callId"] !== undefined) continue;
      const path = `${prefix}${verdict.nodeId}`;
      instances.set(path, followedBy(instances.get(path), verdict));
    }
  }
  const decided = new Map<string, Decided>();
  for (const [nodeId, found] of instances) {
    const before = decided.get(baseOf(nodeId));
    const reservedMicros = (before?.reservedMicros ?? 0) + (found.reservedMicros ?? 0);
    decided.set(baseOf(nodeId), { ...stricter(before, found), reservedMicros });
  }
  return decided;
}

/** A hold is shown even after its answer; a block only as the last verdict, since a waiting node may get its slot later. */
function followedBy(before: Decided | undefined, { disposition, gate, code, body }: StoredVerdict): Decided {
  // Only the governor writes the body, so its type is known.
  const kept = body as unknown as {
    readonly explanation?: Explanation;
    readonly facts: { readonly estimateMicros: number | null };
  };
  const reserved = disposition === "allow" ? (kept.facts.estimateMicros ?? 0) : 0;
  const reservedMicros = (before?.reservedMicros ?? 0) + reserved;
  if (before?.disposition === "hold" && disposition === "allow") return { ...before, reservedMicros };
  return { disposition, gate, code, explanation: kept.explanation ?? null, reservedMicros };
}

function stricter(before: Decided | undefined, found: Decided): Decided {
  const isStricter = before === undefined || STRICTNESS[found.disposition] > STRICTNESS[before.disposition];
  return isStricter ? found : before;
}
