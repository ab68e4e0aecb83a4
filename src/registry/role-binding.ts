import type { RoleBinding } from "../core/governance/index.ts";
import type { Entry } from "../store/index.ts";
import { microsOf, name, readBody, spec, usd, workflowName } from "./field.ts";

export const roleBindingSpec = spec({
  role: name.describe("As steps name it"),
  agent: name.describe("Who takes it"),
  workflow: workflowName.nullish().describe("Only there; everywhere otherwise"),
  max_spend_usd: usd
    .nullish()
    .describe("US dollars a month; in this role it is the agent's ceiling, in place of its own"),
});

export function bindingOf({ id, body }: Entry): RoleBinding {
  const { role, agent, workflow = null, max_spend_usd: bound } = readBody(roleBindingSpec, body);
  return { id, role, agent, workflow, maxSpendMicros: bound === undefined ? null : microsOf(bound) };
}
