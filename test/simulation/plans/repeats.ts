import type { Prng } from "../prng.ts";

interface Drafted {
  readonly kind: string;
  readonly declares: boolean;
  readonly fields: Record<string, unknown>;
}

/** Some steps in rounds: drawn apart, so that all else of a plan is as it was. */
export function addRepeats(rng: Prng, steps: readonly Drafted[]): void {
  if (!rng.chance(0.35)) return;
  for (const { kind, declares, fields } of steps) {
    if (kind === "gate" || kind === "for_each" || kind === "end" || !rng.chance(0.35)) continue;
    const until = declares && rng.chance(0.6) ? `outputs.n > ${rng.between(1, 8)}` : `round >= ${rng.between(0, 4)}`;
    fields["repeat"] = {
      until,
      max: rng.between(1, 4),
      ...(rng.chance(0.4) ? { every: rng.between(1, 8) } : {}),
      ...(rng.chance(0.75) ? { on_exhausted: "continue" } : {}),
    };
  }
}
