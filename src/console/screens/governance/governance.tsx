import type { JSX } from "react";
import type { Registered } from "../../../client/index.ts";
import { jsonToText } from "../../../core/base/index.ts";
import type { ScreenProps } from "../../page/screen-props.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { Badge } from "../../parts/status.tsx";
import type { Column } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { KINDS } from "../../manifest/manifest-kind.ts";
import { RegistryTab } from "../../manifest/registry-tab.tsx";
import { useTabAddress } from "../../page/use-tab-address.ts";
import { AgentWork } from "./agent-work.tsx";
import { AGENT_COLUMNS, AgentCard } from "./agent-card.tsx";
import { Backtest } from "./backtest.tsx";
import { BacktestCount } from "./backtest-count.tsx";
import { BudgetsTab } from "./budgets-tab.tsx";
import { factOffers } from "./fact-offers.ts";
import { GatesTab } from "./gates-tab.tsx";
import { GatewaysTab } from "./gateways-tab.tsx";
import { PlatformSwitch } from "./platform-switch.tsx";
import { GOVERNANCE_TABS } from "./tabs.ts";
import "./governance.css";

export function GovernanceScreen({ params }: ScreenProps): JSX.Element {
  const selected = GOVERNANCE_TABS.find(({ id }) => id === params["tab"])?.id ?? "gates";
  const { id } = params;
  const select = useTabAddress("/governance", selected);
  return (
    <>
      <PageHead
        title="Governance"
        subtitle="Every node passes the gates before it may act; what they read is here."
        actions={<PlatformSwitch />}
      />
      <Tabs label="Governance" tabs={GOVERNANCE_TABS} selected={selected} onSelect={select}>
        {selected === "gates" && <GatesTab />}
        {selected === "policies" && (
          <RegistryTab
            kind={KINDS.policies}
            base="/governance/policies"
            id={id}
            columns={POLICY_COLUMNS}
            beside={(entry, spec) => <Backtest name={entry?.id ?? "draft"} spec={spec} />}
            offersFor={factOffers}
            below={(path, spec) => (path.at(-1) === "condition" ? <BacktestCount spec={spec} /> : null)}
          />
        )}
        {selected === "budgets" && <BudgetsTab id={id} />}
        {selected === "agents" && (
          <RegistryTab
            kind={KINDS.agents}
            base="/governance/agents"
            id={id}
            columns={AGENT_COLUMNS}
            beside={(entry) =>
              entry === null ? null : (
                <div className="stack">
                  <AgentCard agent={entry} />
                  <AgentWork agentId={entry.id} />
                </div>
              )
            }
          />
        )}
        {selected === "gateways" && <GatewaysTab id={id} />}
      </Tabs>
    </>
  );
}

const ACTION_TONES = { block: "bad", require_approval: "hold", warn: "warn", log: "info" } as const;

const POLICY_COLUMNS: readonly Column<Registered>[] = [
  {
    id: "condition",
    head: "Condition",
    isWide: true,
    cell: ({ condition }) => <code className="manifest-cell">{jsonToText(condition)}</code>,
  },
  {
    id: "action",
    head: "Action",
    cell: ({ action }) => {
      const tone = Object.entries(ACTION_TONES).find(([name]) => name === action)?.[1] ?? "idle";
      return <Badge tone={tone}>{jsonToText(action).replace("_", " ")}</Badge>;
    },
    sortBy: ({ action }) => jsonToText(action),
  },
  {
    id: "scope",
    head: "Scope",
    isWide: true,
    cell: ({ scope, scopeId }) =>
      scopeId === undefined || scopeId === null ? jsonToText(scope) : `${jsonToText(scope)} ${jsonToText(scopeId)}`,
    sortBy: ({ scope }) => jsonToText(scope),
  },
  { id: "enforcement", head: "Enforcement", isWide: true, cell: ({ enforcement }) => jsonToText(enforcement) },
  {
    id: "enabled",
    head: "State",
    cell: ({ enabled }) => (enabled === false ? <Badge tone="warn">disabled</Badge> : <Badge tone="ok">enabled</Badge>),
  },
];
