import { type JSX, useEffect, useState } from "react";
import { APPROVAL_SOURCES } from "../../../core/event/index.ts";
import type { SearchParams } from "../../page/router.tsx";
import { useMay } from "../../live/session-store.ts";
import { useWorkflows } from "../../live/use-registered.ts";
import { ANY, FilterSelect } from "../../parts/select.tsx";

const AGES = [
  ["1h", "An hour"],
  ["4h", "4 hours"],
  ["1d", "A day"],
  ["3d", "3 days"],
] as const;

const SOURCES = {
  gate: "Step of a workflow",
  policy: "Policy",
  escalation: "Failure",
  block: "Blocked node",
  tool: "Tool call",
} as const;

const TYPING_MS = 60;

/** The filters of the inbox. All of them are stored in the address. */
export function FilterBar({ params }: { readonly params: SearchParams }): JSX.Element {
  const mayRead = useMay("workflow:read");
  const workflows = useWorkflows(mayRead).data;
  const names = (workflows ?? []).map(({ name }) => name);
  const chosen = params.get("workflow");
  const known = chosen === null || names.includes(chosen) ? names : [chosen, ...names];
  const isDone = params.get("show") === "answered";
  return (
    <div className="row inbox-filters" role="search" aria-label="Filter approvals">
      <SearchField params={params} />
      {!isDone && (
        <label className="row">
          <input
            type="checkbox"
            checked={params.get("mine") === "true"}
            onChange={(event) => params.set({ mine: event.target.checked ? "true" : null, id: null })}
          />
          Only those I may answer
        </label>
      )}
      <Choice params={params} name="workflow" label="Workflow" options={known.map((name) => [name, name])} />
      <Choice
        params={params}
        name="source"
        label="Asked by"
        options={APPROVAL_SOURCES.map((source) => [source, SOURCES[source]])}
      />
      <Choice
        params={params}
        name="assignee"
        label="Assigned to"
        options={[
          ["me", "Me"],
          ["none", "No one"],
        ]}
      />
      <Choice params={params} name="older_than" label="Waiting for over" options={AGES} />
    </div>
  );
}

interface ChoiceProps {
  readonly params: SearchParams;
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [string, string])[];
}

function Choice({ params, name, label, options }: ChoiceProps): JSX.Element {
  return (
    <FilterSelect
      label={label}
      value={params.get(name) ?? ""}
      options={[ANY, ...options]}
      onChange={(value) => params.set({ [name]: value, id: null })}
    />
  );
}

/** A search field that searches after a pause in typing. */
function SearchField({ params }: { readonly params: SearchParams }): JSX.Element {
  const asked = params.get("q") ?? "";
  const [typed, setTyped] = useState(asked);
  useEffect(() => setTyped(asked), [asked]);
  useEffect(() => {
    if (typed.trim() === asked) return undefined;
    const timer = setTimeout(() => params.set({ q: typed.trim(), id: null }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, asked, params]);
  return (
    <input
      type="search"
      aria-label="Search approvals"
      placeholder="Search title, workflow, run, args"
      maxLength={200}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
