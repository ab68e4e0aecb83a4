import type { Placement } from "../core/event/index.ts";
import type { Plan } from "../core/plan/index.ts";
import type { GatewayView } from "../gateway/index.ts";
import type { Registered } from "./registered.ts";

/** A run that is about to start, with the gateway and roles that its caller named. */
export interface PlacedRun {
  readonly workflow: string;
  readonly plan: Plan;
  readonly gateway: string | null;
  readonly roleBindings: Readonly<Record<string, string>>;
}

/**
 * Returns the gateway and agents of a run from the current configuration: deployments, bindings, the default gateway.
 * The placement is stored with the run, so that later changes affect only runs that start later.
 */
export function placementOf(
  run: PlacedRun,
  { deployments, bindings }: Pick<Registered, "deployments" | "bindings">,
  gateways: readonly GatewayView[],
): Placement {
  const active = deployments.filter(({ isActive }) => isActive);
  const ofWorkflow = active.find(({ workflow }) => workflow === run.workflow);
  const roleBindings = { ...boundRoles(run, ofWorkflow?.roleBindings ?? {}, bindings), ...run.roleBindings };
  const agents = active.flatMap(({ workflow, agent, gateway, environment }) =>
    ofWorkflow !== undefined || workflow !== null || agent === null
      ? []
      : [{ agent, gateway, ...(environment === null ? {} : { environment }) }],
  );
  const environment = ofWorkflow?.environment ?? null;
  const named = namedBy(run);
  return {
    ...gatewayOf(run.gateway, ofWorkflow?.gateway, gateways),
    ...(environment === null ? {} : { environment }),
    ...(isEmpty(roleBindings) ? {} : { roleBindings }),
    ...(agents.length === 0 ? {} : { agents }),
    ...(isEmpty(named) ? {} : { named }),
  };
}

function gatewayOf(
  named: string | null,
  deployed: string | undefined,
  gateways: readonly GatewayView[],
): Pick<Placement, "gateway" | "from"> {
  if (named !== null) return { gateway: named, from: "run" };
  if (deployed !== undefined) return { gateway: deployed, from: "deployment" };
  const standard = gateways.find(({ isDefault }) => isDefault);
  return standard === undefined ? {} : { gateway: standard.id, from: "default" };
}

/** The caller's own choices, which child runs and restarts inherit. Everything else is resolved again for each of them. */
function namedBy({ gateway, roleBindings }: PlacedRun): NonNullable<Placement["named"]> {
  return {
    ...(gateway === null ? {} : { gateway }),
    ...(isEmpty(roleBindings) ? {} : { roleBindings: { ...roleBindings } }),
  };
}

/** Returns the agent of each role in the plan: from the deployment, a binding for the workflow, a general binding, or the file. */
function boundRoles(
  { workflow, plan }: PlacedRun,
  deployed: Readonly<Record<string, string>>,
  bindings: Registered["bindings"],
): Record<string, string> {
  const bound = rolesOf(plan).flatMap((role): [string, string][] => {
    const binding =
      bindings.find((one) => one.role === role && one.workflow === workflow) ??
      bindings.find((one) => one.role === role && one.workflow === null);
    const ofFile = Object.hasOwn(plan.agentByRole, role) ? plan.agentByRole[role] : null;
    const agent = (Object.hasOwn(deployed, role) ? deployed[role] : undefined) ?? binding?.agent ?? ofFile ?? null;
    return agent === null ? [] : [[role, agent]];
  });
  return Object.fromEntries(bound);
}

const ROLES = new WeakMap<Plan, readonly string[]>();

function rolesOf(plan: Plan): readonly string[] {
  let roles = ROLES.get(plan);
  if (roles === undefined) {
    roles = [...new Set(plan.nodes.flatMap(({ request }) => (request.role === null ? [] : [request.role])))];
    ROLES.set(plan, roles);
  }
  return roles;
}

function isEmpty(map: object): boolean {
  return Object.keys(map).length === 0;
}
