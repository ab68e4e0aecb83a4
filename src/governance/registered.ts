import type { PauseFact } from "../core/event/index.ts";
import { WHOLE_ORGANISATION } from "../store/index.ts";
import type {
  Agent,
  Budget,
  CreditPlan,
  Deployment,
  Grant,
  ModelPrice,
  Platform,
  Policy,
  RoleBinding,
  Tool,
} from "../core/governance/index.ts";

/** The registered configuration of an organisation, as far as gates read it. */
export interface Registered {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly policies: readonly Policy[];
  readonly budgets: readonly Budget[];
  readonly models: ReadonlyMap<string, ModelPrice>;
  /** In order of name. */
  readonly creditPlans: readonly CreditPlan[];
  readonly deployments: readonly Deployment[];
  readonly bindings: readonly RoleBinding[];
  readonly tools: readonly Tool[];
  /** By `run/ID` or `agent/ID`. Each grant covers one of them. */
  readonly grants: ReadonlyMap<string, readonly Grant[]>;
  readonly platform: Platform;
  /** By workflow, or under `WHOLE_ORGANISATION`. */
  readonly pauses: ReadonlyMap<string, PauseFact>;
}

export function grantsByHolder(grants: readonly Grant[]): Registered["grants"] {
  const found = new Map<string, Grant[]>();
  for (const grant of grants) {
    const key = grant.run === null ? `agent/${grant.agent ?? ""}` : `run/${grant.run}`;
    const held = found.get(key);
    if (held === undefined) found.set(key, [grant]);
    else held.push(grant);
  }
  return found;
}

/** Whether the workflow or the whole organisation is paused. */
export function isPausedIn({ pauses }: Pick<Registered, "pauses">, workflow: string): boolean {
  return pauses.size > 0 && (pauses.has(WHOLE_ORGANISATION) || pauses.has(workflow));
}
