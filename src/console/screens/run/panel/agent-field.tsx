import type { JSX } from "react";
import type { Registered } from "../../../../client/index.ts";
import { jsonToText } from "../../../../core/base/index.ts";
import { ENTRIES_MAX } from "../../../live/every-page.ts";
import { useMay } from "../../../live/session-store.ts";
import { useRegistered } from "../../../live/use-registered.ts";
import { Field } from "../../../parts/field.tsx";
import { Select } from "../../../parts/select.tsx";

interface AgentFieldProps {
  readonly value: string;
  readonly onChange: (agent: string) => void;
}

/** Selects an agent from a list. Without the permission to list agents, the id is typed. */
export function AgentField({ value, onChange }: AgentFieldProps): JSX.Element {
  const mayRead = useMay("governance:read");
  const agents = useRegistered("agents", mayRead).data;
  if (agents === undefined || agents.length === 0 || agents.length === ENTRIES_MAX) {
    return (
      <Field label="Agent" isRequired hint="Its name, as it is registered.">
        <input required value={value} onChange={(event) => onChange(event.target.value.trim())} />
      </Field>
    );
  }
  return (
    <Field label="Agent" isRequired hint="The gates ask about it like about any other.">
      <Select
        value={value}
        options={[["", "Choose an agent"], ...agents.map((agent) => [agent.id, agentText(agent)] as const)]}
        onChange={onChange}
      />
    </Field>
  );
}

/** Returns text such as `senior, trust 6, bounded`. The status is added only when it is not normal. */
function agentText({ id, trustLevel, autonomy, status }: Registered): string {
  const isFine = status === undefined || status === "idle";
  const facts = [`trust ${jsonToText(trustLevel)}`, jsonToText(autonomy), ...(isFine ? [] : [jsonToText(status)])];
  return `${id}, ${facts.join(", ")}`;
}
