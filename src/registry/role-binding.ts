import type { RoleBinding } from "../core/governance/index.ts";
import type { Entry } from "../store/index.ts";
import { name, readBody, spec, workflowName } from "./field.ts";

export const roleBindingSpec = spec({
  role: name,
  agent: name,
  workflow: workflowName.nullish().describe("Only there; everywhere otherwise"),
});

export function bindingOf({ id, body }: Entry): RoleBinding {
  const { role, agent, workflow = null } = readBody(roleBindingSpec, body);
  return { id, role, agent, workflow };
}
