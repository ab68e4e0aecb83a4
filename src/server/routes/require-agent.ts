import { getRegistered } from "../../registry/index.ts";
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
