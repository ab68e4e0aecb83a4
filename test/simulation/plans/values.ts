import type { Prng } from "../prng.ts";
import type { ConditionForm } from "./oracle.ts";

interface Drafted {
  readonly id: string;
  readonly kind: string;
  readonly declares: boolean;
  readonly fields: Record<string, unknown>;
}

const KEPT = ["depends_on", "condition", "parallel_failure_policy"];

/** Steps that calculate in place of some that ask an agent: drawn apart, so that all else of a plan is as it was. */
export function addValues(rng: Prng, steps: readonly Drafted[]): void {
  for (const { kind, fields } of steps) {
    if (kind !== "agent" || Object.hasOwn(fields, "approval") || !rng.chance(0.15)) continue;
    const policy = fields["on_failure"] === "skip" ? "skip" : undefined;
    for (const key of Object.keys(fields)) if (!KEPT.includes(key)) delete fields[key];
    if (policy !== undefined) fields["on_failure"] = policy;
    fields["set"] = {
      n: rng.between(0, 9),
      ok: rng.chance(0.8),
      list: [1, "${mode}"],
      twice: { expr: "size * 2" },
      text: "mode ${mode}",
      ...(rng.chance(0.15) ? { first: { expr: "items[0] + 1" } } : {}),
    };
  }
}

/** A step that ends the run, after some other. */
export function drawEnd(rng: Prng, steps: readonly Drafted[], conditions: Map<string, ConditionForm>): Drafted | null {
  if (!rng.chance(0.07) || steps.length === 0) return null;
  const id = `end${steps.length}`;
  const fields: Record<string, unknown> = { depends_on: [rng.pick(steps).id] };
  if (rng.chance(0.6)) {
    conditions.set(id, { kind: "mode", value: "b" });
    fields["condition"] = "mode == 'b'";
  }
  if (rng.chance(0.4)) fields["fail"] = { code: "author_failed", message: "mode ${mode}" };
  else fields["cancel"] = rng.chance(0.5) ? "enough of ${mode}" : { as: "completed", reason: "done" };
  return { id, kind: "end", declares: false, fields };
}

/** Outputs of the document; now and then one that cannot be found. */
export function drawOutputs(rng: Prng, steps: readonly Drafted[]): Record<string, unknown> | null {
  if (!rng.chance(0.3)) return null;
  const known = steps.filter(({ declares }) => declares);
  const source = known.length === 0 ? null : rng.pick(known);
  return {
    size: { expr: "size + 1" },
    text: "mode ${mode}",
    ...(source === null ? {} : { n: { value: `\${${source.id}.n}`, type: "integer" } }),
    ...(rng.chance(0.08) ? { lost: "${items[9]}" } : {}),
  };
}
