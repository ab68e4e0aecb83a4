import {
  type Agent,
  type DispatchFacts,
  NO_ORGANISATION_LIMITS,
  nodeRateOf,
  ORGANISATION_COUNTER,
  type RateFact,
  rateWindowOf,
} from "../core/governance/index.ts";
import type { Scene } from "./facts.ts";
import type { Tally } from "./tally.ts";

/** Returns the rate fact of an agent. */
export function rateOf(tally: Tally, agent: Agent | null, at: number, ahead: number): RateFact | null {
  if (agent?.rateLimit === null || agent === null) return null;
  const { count, perSeconds } = agent.rateLimit;
  return { count, perSeconds, ...tally.windowOf(agent.id, rateWindowOf(agent.rateLimit), at, ahead) };
}

/** Returns the rate fact over all nodes of the organisation. */
export function organisationRateOf(
  { organisation = NO_ORGANISATION_LIMITS, tally, about }: Pick<Scene, "organisation" | "tally" | "about">,
  ahead: number,
): Pick<DispatchFacts, "organisationRate"> {
  const rate = nodeRateOf(organisation);
  if (rate === null) return {};
  return {
    organisationRate: { ...rate, ...tally.windowOf(ORGANISATION_COUNTER, rateWindowOf(rate), about.at, ahead) },
  };
}
