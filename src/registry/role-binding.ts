import type { RoleBinding } from "../core/governance/index.ts";
import type { Entry } from "../store/index.ts";
import { microsOf, name, readBody, spec, usd, workflowName } from "./field.ts";

export const roleBindingSpec = spec({
  role: name.describe("Name of the role in steps"),
  agent: name.describe("Agent that takes the role"),
  workflow: workflowName.nullish().describe("Workflow in which the binding applies. Default: all workflows"),
  max_spend_usd: usd
    .nullish()
    .describe("Budget in US dollars per month for the agent in this role, in place of its own budget"),
});

export function bindingOf({ id, body }: Entry): RoleBinding {
  const { role, agent, workflow = null, max_spend_usd: bound } = readBody(roleBindingSpec, body);
  return { id, role, agent, workflow, maxSpendMicros: bound === undefined ? null : microsOf(bound) };
}
