import { getRegistered, teamOf } from "../../registry/index.ts";
import type { RunRecord } from "../../store/index.ts";
import { Refused } from "../problem.ts";
import type { Call } from "../route.ts";

/** Returns the id of an agent of the organisation, or refuses when it is not registered. */
export async function requireAgent(
  { services, principal }: Pick<Call<unknown, unknown>, "services" | "principal">,
  id: string,
): Promise<string> {
  const entry = await getRegistered(services.store, principal.orgId, "Agent", id);
  if (entry === undefined) throw new Refused("unknown_agent", `There is no agent "${id}".`);
  return id;
}

/** Refuses an agent that is neither registered nor in the team of the run: the gates would block it, and the node would fail. */
export async function requireAssignable(
  call: Pick<Call<unknown, unknown>, "services" | "principal">,
  { orgId, team }: RunRecord,
  agentId: string,
): Promise<void> {
  const entry = team === null ? undefined : await getRegistered(call.services.store, orgId, "Team", team);
  if (entry !== undefined && teamOf(entry).members.some(({ agent }) => agent === agentId)) return;
  await requireAgent(call, agentId);
}
