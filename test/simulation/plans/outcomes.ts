import type { Prng } from "../prng.ts";
import type { ConditionForm } from "./oracle.ts";

interface Drafted {
  readonly id: string;
  readonly kind: "agent" | "gate" | "child" | "for_each" | "wait" | "emit";
  readonly declares: boolean;
  readonly fields: Record<string, unknown>;
}

/** Dependencies by outcome, joins and races: drawn apart, so that files without them stay as they were. */
export function addOutcomes(rng: Prng, steps: readonly Drafted[], conditions: Map<string, ConditionForm>): Drafted[] {
  if (!rng.chance(0.35)) return [];
  steps.forEach((step, index) => {
    const named = dependenciesOf(step);
    if (named.length > 0 && rng.chance(0.5)) addJoin(rng, step, steps.slice(0, index), named);
    step.fields["depends_on"] = dependenciesOf(step).map((id) => drawOutcome(rng, id, steps));
  });
  const handlers = steps.filter(mayFail).flatMap((step) => (rng.chance(0.35) ? [drawHandler(rng, step.id, "h")] : []));
  const second = handlers.filter(mayFail).flatMap((step) => (rng.chance(0.2) ? [drawHandler(rng, step.id, "i")] : []));
  for (const { id, fields } of handlers) {
    if (!rng.chance(0.15)) continue;
    conditions.set(id, { kind: "mode", value: "b" });
    fields["condition"] = "mode == 'b'";
  }
  return [...handlers, ...second];
}

function dependenciesOf({ fields }: Drafted): readonly string[] {
  const named = fields["depends_on"];
  return Array.isArray(named) ? named.filter((each): each is string => typeof each === "string") : [];
}

function addJoin(rng: Prng, { fields }: Drafted, earlier: readonly Drafted[], named: readonly string[]): void {
  const more = earlier.filter(({ id }) => !named.includes(id) && rng.chance(0.3)).map(({ id }) => id);
  const all = [...named, ...more];
  fields["depends_on"] = all;
  fields["join"] = rng.chance(0.5) ? "any" : rng.between(1, all.length);
  if (rng.chance(0.5)) fields["race"] = true;
  const { command } = fields;
  if (typeof command !== "string" || !rng.chance(0.7)) return;
  const read = all.filter((id) => earlier.find((step) => step.id === id)?.kind !== "gate");
  fields["command"] = `${command}${read.map((id) => ` \${${id}.stdout}`).join("")}`;
}

function drawOutcome(rng: Prng, id: string, steps: readonly Drafted[]): unknown {
  const roll = rng.float();
  const target = steps.find((step) => step.id === id);
  if (roll < 0.12 && target !== undefined && mayFail(target)) return { step: id, on: "failure" };
  return roll < 0.25 ? { step: id, on: "settled" } : id;
}

function mayFail({ fields }: Drafted): boolean {
  return fields["on_failure"] !== "skip" && !Object.hasOwn(fields, "cancel") && !Object.hasOwn(fields, "fail");
}

function drawHandler(rng: Prng, step: string, prefix: string): Drafted {
  const policy = rng.pick([null, "skip", "retry_once"]);
  const fields: Record<string, unknown> = {
    command: `handle \${${step}.error.code} after \${${step}.error.attempts}`,
    depends_on: [{ step, on: "failure" }],
    timeout: rng.between(1, 5),
    ...(policy === null ? {} : { on_failure: policy }),
  };
  return { id: `${prefix}${step}`, kind: "agent", declares: false, fields };
}
