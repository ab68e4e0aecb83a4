import type {
  Agent,
  Budget,
  CreditPlan,
  Deployment,
  ModelPrice,
  Platform,
  Policy,
  RoleBinding,
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
  readonly platform: Platform;
}
