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

/** Everything an organisation has registered that gates read. */
export interface Registered {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly policies: readonly Policy[];
  readonly budgets: readonly Budget[];
  readonly models: ReadonlyMap<string, ModelPrice>;
  /** In the order of their names. */
  readonly creditPlans: readonly CreditPlan[];
  readonly deployments: readonly Deployment[];
  readonly bindings: readonly RoleBinding[];
  readonly tools: readonly Tool[];
  /** By `run/ID` and `agent/ID`: each covers one of them. */
  readonly grants: ReadonlyMap<string, readonly Grant[]>;
  readonly platform: Platform;
  /** By workflow, and under `WHOLE_ORGANISATION`. */
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

/** With its workflow, or with the whole organisation. */
export function isPausedIn({ pauses }: Pick<Registered, "pauses">, workflow: string): boolean {
  return pauses.size > 0 && (pauses.has(WHOLE_ORGANISATION) || pauses.has(workflow));
}
