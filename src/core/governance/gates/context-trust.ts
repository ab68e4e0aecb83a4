import type { JsonObject } from "../../base/index.ts";
import type { ContextSource } from "../../definition/index.ts";
import { HOUR_MS, readInstant } from "../calendar.ts";
import type { DispatchFacts, GatewayFact } from "../facts.ts";
import { type GateBlock, type Gate, type GateOutcome, PASS, type Unblock } from "../gate.ts";
import type { Agent } from "../registered.ts";

/** Checks each declared context source: the agent may read its class, it is recent enough, and it is allowed at the gateway. */
export const contextTrust: Gate<DispatchFacts> = {
  name: "context_trust",
  evaluate({ agent, gateway, node, at }): GateOutcome {
    if (agent === null) return PASS;
    for (const [index, source] of node.contextSources.entries()) {
      const found = refuseClass(source, agent) ?? refuseAge(source, agent, at) ?? refuseHome(source, gateway);
      if (found !== undefined) return block(`context source ${index + 1} of ${node.id}`, source, found);
    }
    return PASS;
  },
};

interface Refusal {
  readonly message: string;
  readonly facts: JsonObject;
  readonly unblock: Unblock;
}

function block(name: string, source: ContextSource, { message, facts, unblock }: Refusal): GateBlock {
  return {
    kind: "block",
    code: "context_untrusted",
    message: `${name} (${source.class}) ${message}; ${unblock.detail}`,
    after: "final",
    facts: { source: name, class: source.class, ...facts },
    unblock: [unblock],
  };
}

function refuseClass(source: ContextSource, { id, mayRead }: Agent): Refusal | undefined {
  if (mayRead.includes(source.class)) return undefined;
  return {
    message: `is of a class ${id} may not read`,
    facts: { agent: id, mayRead },
    unblock: { action: "change_agent", target: `Agent/${id}`, detail: `add ${source.class} to may_read` },
  };
}

function refuseAge({ asOf }: ContextSource, { id, maxAgeHours }: Agent, at: number): Refusal | undefined {
  if (asOf === undefined || maxAgeHours === null) return undefined;
  const since = readInstant(asOf);
  const ageHours = since === null ? null : (at - since) / HOUR_MS;
  if (ageHours !== null && ageHours <= maxAgeHours) return undefined;
  return {
    message:
      ageHours === null
        ? `is as of ${asOf}, which is no date, so its age is unknown`
        : `is as of ${asOf}, ${Math.floor(ageHours)} h old, and ${id} takes at most ${maxAgeHours} h`,
    facts: { agent: id, asOf, ageHours, maxAgeHours, at },
    unblock: { action: "refresh_source", target: `Agent/${id}`, detail: "refresh the data, or raise max_age_hours" },
  };
}

function refuseHome({ environment }: ContextSource, gateway: GatewayFact | null): Refusal | undefined {
  if (environment === undefined || gateway === null || environment === gateway.environment) return undefined;
  const { id, environment: actual } = gateway;
  const where = actual === null ? "has no environment" : `is ${actual}`;
  return {
    message: `belongs to environment ${environment}, and gateway ${id} ${where}`,
    facts: { gateway: id, environment, gatewayEnvironment: actual },
    unblock: {
      action: "reroute",
      target: `Gateway/${id}`,
      detail: `run the step at a gateway of environment ${environment}`,
    },
  };
}
