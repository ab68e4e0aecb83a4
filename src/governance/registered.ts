import type { Agent, Budget, Deployment, ModelPrice, Platform, Policy, RoleBinding } from "../core/governance/index.ts";

/** Everything an organisation has registered that gates read. */
export interface Registered {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly policies: readonly Policy[];
  readonly budgets: readonly Budget[];
  readonly models: ReadonlyMap<string, ModelPrice>;
  readonly deployments: readonly Deployment[];
  readonly bindings: readonly RoleBinding[];
  readonly platform: Platform;
}
