import type { RunEvent } from "../../../src/core/event/index.ts";
import type { Profile } from "../profile.ts";
import type { Prng } from "../prng.ts";

/** A registered actor with its limits; what the gates of the modelled governance read. */
export interface AgentModel {
  readonly id: string;
  readonly maxConcurrent: number;
  readonly rate: { readonly max: number; readonly windowMs: number } | null;
  readonly ceilingMicros: number;
  readonly pausedUntil: number;
}

export const DEFAULT_ESTIMATE_MICROS = 3_000;

/** What the next round of a turn may cost. */
export function roundEstimate(contextTokens: number): number {
  return 1_000 + contextTokens * 20;
}

export interface Waiting {
  readonly runId: string;
  readonly nodeId: string;
  readonly epoch: number;
}

/** Whom a question is about: the path of the run is the same whatever order things happen in. */
export interface Asker {
  readonly runId: string;
  readonly path: string;
  readonly isWoken: boolean;
}

/** Faults a planted bug may switch on. */
export interface LedgerBugs {
  /** The gates grant one slot too many. */
  readonly grantsTooMany?: boolean;
  /** Admission forgets to reserve. */
  readonly forgetsReservation?: boolean;
  /** A node that comes to this event keeps its slot and its money. */
  readonly keepsAt?: RunEvent["type"];
}

export function drawAgents(rng: Prng, profile: Profile, startAt: number): readonly AgentModel[] {
  const isTight = profile.hasLimits;
  const ceilingMicros = isTight && rng.chance(0.2) ? rng.between(5, 40) * 1_000 : 1_000_000_000;
  return ["solo", "pair", "slow", "default", "chosen"].map((id) => ({
    id,
    maxConcurrent: !isTight ? 10_000 : id === "solo" ? 1 : id === "pair" ? 2 : 10_000,
    rate: isTight && id === "slow" ? { max: 2, windowMs: rng.between(1, 4) * 1_000 } : null,
    ceilingMicros,
    pausedUntil: rng.chance(profile.pausedAgent) ? startAt + rng.between(200, 9_000) : 0,
  }));
}
