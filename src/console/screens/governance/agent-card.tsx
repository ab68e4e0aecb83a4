import type { JSX } from "react";
import type { Registered } from "../../../client/index.ts";
import { isJsonArray, isJsonObject, jsonToText } from "../../../core/base/index.ts";
import { ACTIONS } from "../../../core/definition/index.ts";
import { permissionOf, RUNGS } from "../../../core/governance/index.ts";
import { dollars } from "../../parts/figures.ts";
import { Panel } from "../../parts/panel.tsx";
import { Badge, type Tone } from "../../parts/status.tsx";
import type { Column } from "../../parts/table.tsx";

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  idle: "ok",
  paused: "warn",
  suspended: "warn",
  terminated: "bad",
  error: "bad",
};

export const AGENT_COLUMNS: readonly Column<Registered>[] = [
  {
    id: "trust",
    head: "Trust",
    cell: ({ trustLevel }) => <TrustBar level={Number(trustLevel)} />,
    sortBy: ({ trustLevel }) => Number(trustLevel),
  },
  {
    id: "autonomy",
    head: "Autonomy",
    isWide: true,
    cell: ({ autonomy }) => jsonToText(autonomy),
    sortBy: ({ autonomy }) => jsonToText(autonomy),
  },
  {
    id: "status",
    head: "Status",
    cell: (agent) => <Badge tone={STATUS_TONES[shownStatus(agent)] ?? "idle"}>{shownStatus(agent)}</Badge>,
    sortBy: shownStatus,
  },
  { id: "limits", head: "Limits", isWide: true, cell: (agent) => limitsOf(agent).join(", ") },
];

/** Returns the shown status. An agent whose lifecycle is not "active" receives no work, so its lifecycle is shown instead of its status. */
function shownStatus({ status, lifecycle }: Registered): string {
  return jsonToText(lifecycle === undefined || lifecycle === "active" ? status : lifecycle);
}

function TrustBar({ level }: { readonly level: number }): JSX.Element {
  return (
    <span className="governance-trust">
      <svg width={60} height={8} aria-hidden="true">
        {Array.from({ length: 10 }, (_, index) => (
          <rect key={index} x={index * 6} width={4} height={8} rx={1} className={index < level ? "is-on" : ""} />
        ))}
      </svg>
      <span className="num">{level} of 10</span>
    </span>
  );
}

function limitsOf({
  maxConcurrent,
  rateLimit,
  budgetMonthlyUsd,
  financialThresholdUsd,
}: Registered): readonly string[] {
  return [
    `${jsonToText(maxConcurrent ?? 10)} at a time`,
    isJsonObject(rateLimit) ? `${jsonToText(rateLimit["count"])} per ${jsonToText(rateLimit["perSeconds"])} s` : null,
    typeof budgetMonthlyUsd === "number" ? `${dollars(budgetMonthlyUsd * 1_000_000)} a month` : null,
    typeof financialThresholdUsd === "number" ? `${dollars(financialThresholdUsd * 1_000_000)} at once` : null,
  ].filter((text) => text !== null);
}

const WORDS = { allowed: "by itself", approval: "with approval", forbidden: "never" } as const;

/** Describes what a level of autonomy permits, from the table that the gates read. */
function autonomyText(autonomy: unknown): string {
  const rung = RUNGS.find((each) => each === autonomy);
  if (rung === undefined) return "";
  const groups = (["allowed", "approval", "forbidden"] as const).map((permission) => {
    const actions = ACTIONS.filter((action) => permissionOf(rung, action) === permission);
    return actions.length === 0 ? "" : `${WORDS[permission]}: ${actions.join(", ")}`;
  });
  return groups.filter((text) => text !== "").join("; ");
}

/** The key facts of an agent: trust, autonomy, status, limits, readable sources, skills and model. */
export function AgentCard({ agent }: { readonly agent: Registered }): JSX.Element {
  const { trustLevel, autonomy, status, phase, lifecycle, mayRead, skills, model } = agent;
  return (
    <Panel title="At a glance">
      <dl className="governance-facts">
        <dt>Trust</dt>
        <dd>
          <TrustBar level={Number(trustLevel)} />
        </dd>
        <dt>Autonomy</dt>
        <dd>
          {jsonToText(autonomy)} <span className="muted">({autonomyText(autonomy)})</span>
        </dd>
        <dt>Status</dt>
        <dd>
          {jsonToText(status)}, {jsonToText(lifecycle)}, phase {jsonToText(phase)}
        </dd>
        <dt>Limits</dt>
        <dd>{limitsOf(agent).join(", ")}</dd>
        <dt>Readable sources</dt>
        <dd>{isJsonArray(mayRead) ? mayRead.map(jsonToText).join(", ") : "–"}</dd>
        <dt>Skills</dt>
        <dd>{isJsonArray(skills) && skills.length > 0 ? skills.map(jsonToText).join(", ") : "–"}</dd>
        <dt>Model</dt>
        <dd>{typeof model === "string" ? model : "set by the node"}</dd>
      </dl>
    </Panel>
  );
}
