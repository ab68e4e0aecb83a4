import type { Manifest } from "../../integration/support/governed.ts";
import type { Prng } from "../prng.ts";

/** Who acts in a role, everywhere or in one workflow, and the ceiling that holds while they do. */
export interface SceneBinding {
  readonly id: string;
  readonly role: string;
  readonly agent: string;
  readonly workflow: string | null;
  /** At first: the amount may change while runs are under way, but not whether there is one. */
  readonly boundMicros: number | null;
}

const ROLES = ["writer", "editor"];

/** Every role a step may ask for is bound everywhere, and now and then to another agent in one workflow. */
export function drawBindings(
  dice: Prng,
  agentIds: readonly string[],
  workflows: readonly string[],
): readonly SceneBinding[] {
  const draw = (id: string, role: string, workflow: string | null): SceneBinding => ({
    id,
    role,
    agent: dice.pick(agentIds),
    workflow,
    boundMicros: dice.chance(0.6) ? drawBound(dice) : null,
  });
  return ROLES.filter(() => dice.chance(0.5)).flatMap((role) => {
    const everywhere = draw(`${role}-everywhere`, role, null);
    return dice.chance(0.5) ? [everywhere, draw(`${role}-there`, role, dice.pick(workflows))] : [everywhere];
  });
}

export function drawBound(dice: Prng): number {
  return dice.between(3, 50) * 100;
}

/** Null: no agent has the role. */
export function agentInRole(bindings: readonly SceneBinding[], role: string, workflow: string): string | null {
  const there = bindings.find((one) => one.role === role && one.workflow === workflow);
  const everywhere = bindings.find((one) => one.role === role && one.workflow === null);
  return (there ?? everywhere)?.agent ?? null;
}

/** The one that bounds an agent in a role: a binding of that very agent, there before everywhere. */
export function boundOf(
  bindings: readonly SceneBinding[],
  { role, agent, workflow }: { readonly role: string | null; readonly agent: string; readonly workflow: string },
): SceneBinding | null {
  const fits = (place: string | null) => (one: SceneBinding) =>
    one.role === role && one.agent === agent && one.workflow === place && one.boundMicros !== null;
  return bindings.find(fits(workflow)) ?? bindings.find(fits(null)) ?? null;
}

export function bindingManifest(binding: SceneBinding, boundMicros = binding.boundMicros): Manifest {
  const { id, role, agent, workflow } = binding;
  return [
    "RoleBinding",
    id,
    {
      role,
      agent,
      ...(workflow === null ? {} : { workflow }),
      ...(boundMicros === null ? {} : { max_spend_usd: boundMicros / 1_000_000 }),
    },
  ];
}
