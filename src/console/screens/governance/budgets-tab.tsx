import type { JSX } from "react";
import type { Registered, UsageQuery } from "../../../client/index.ts";
import { jsonToText } from "../../../core/base/index.ts";
import { type Period, PERIODS, periodOf } from "../../../core/governance/index.ts";
import { api } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { BudgetMeter } from "../../parts/budget-meter.tsx";
import { BUDGET_TONES } from "../../parts/budget-state.ts";
import { dollars } from "../../parts/figures.ts";
import { Money } from "../../parts/money.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Badge } from "../../parts/status.tsx";
import type { Column } from "../../parts/table.tsx";
import { useNow } from "../../parts/ticker.ts";
import { TimeText } from "../../parts/time-text.tsx";
import { KINDS } from "../../manifest/manifest-kind.ts";
import { RegistryTab } from "../../manifest/registry-tab.tsx";
import { type BurnDown, burnDown, type Spent } from "./burn-down.ts";
import { BurnDownChart } from "./burn-down-chart.tsx";

const WORDS: Readonly<Record<BurnDown["state"], string>> = {
  fine: "within",
  near: "near its end",
  exhausted: "exhausted",
};

export function BudgetsTab({ id }: { readonly id: string | undefined }): JSX.Element {
  return (
    <RegistryTab
      kind={KINDS.budgets}
      base="/governance/budgets"
      id={id}
      columns={COLUMNS}
      beside={(entry) => (entry === null ? null : <BurnDownPanel budget={entry} />)}
    />
  );
}

const COLUMNS: readonly Column<Registered>[] = [
  {
    id: "scope",
    head: "Scope",
    cell: ({ scope, scopeId }) => (typeof scopeId === "string" ? `${jsonToText(scope)} ${scopeId}` : jsonToText(scope)),
    sortBy: ({ scope }) => jsonToText(scope),
  },
  {
    id: "ceiling",
    head: "Ceiling",
    isNumber: true,
    cell: (budget) => (
      <>
        <Money micros={ceilingOf(budget)} /> <span className="muted">{jsonToText(budget["period"])}</span>
      </>
    ),
    sortBy: ceilingOf,
  },
  { id: "spent", head: "Spent", cell: (budget) => <SpentCell budget={budget} /> },
  {
    id: "enabled",
    head: "At the limit",
    isWide: true,
    cell: ({ enabled, onExhausted }) =>
      enabled === false ? <Badge tone="warn">disabled</Badge> : <Badge>{jsonToText(onExhausted)}</Badge>,
  },
];

function SpentCell({ budget }: { readonly budget: Registered }): JSX.Element {
  const { state } = useBurnDown(budget);
  if (state === null) return <span className="muted">–</span>;
  return (
    <span className="row">
      <span className="governance-meter">
        <BudgetMeter share={state.share} label={`Spent of ${budget.id}`} />
      </span>
      <span className="num">{Math.round(state.share * 100)} %</span>
      <Badge tone={BUDGET_TONES[state.state]}>{WORDS[state.state]}</Badge>
    </span>
  );
}

function BurnDownPanel({ budget }: { readonly budget: Registered }): JSX.Element {
  const { state, problem, isCounted } = useBurnDown(budget);
  if (!isCounted) {
    return (
      <Panel title="Burn-down">
        <p className="muted">
          Usage is counted by agent, workflow and gateway; for a team only the gates know what is left.
        </p>
      </Panel>
    );
  }
  if (state === null) return problem === null ? <Skeleton lines={6} /> : <ProblemView problem={problem} />;
  return (
    <Panel title="Burn-down" actions={<Badge tone={BUDGET_TONES[state.state]}>{WORDS[state.state]}</Badge>}>
      <div className="stack">
        <dl className="governance-facts">
          <dt>Spent</dt>
          <dd>
            {dollars(state.spentMicros)} of {dollars(state.ceilingMicros)}
          </dd>
          <Reserved budget={budget} />
          <dt>At this rate</dt>
          <dd>{dollars(state.projectedMicros)} by the end</dd>
          <dt>{state.state === "exhausted" ? "Used up" : "Used up at this rate"}</dt>
          <dd>{state.breachAt === null ? "not in this period" : <TimeText at={state.breachAt} />}</dd>
          <dt>Next period</dt>
          <dd>
            <TimeText at={state.end} />
          </dd>
        </dl>
        <BurnDownChart state={state} />
      </div>
    </Panel>
  );
}

/** The reserved amount. Shown only if the server returns it. */
function Reserved({ budget: { reservedMicros } }: { readonly budget: Registered }): JSX.Element | null {
  if (typeof reservedMicros !== "number") return null;
  return (
    <>
      <dt>Reserved</dt>
      <dd>{dollars(reservedMicros)}</dd>
    </>
  );
}

interface Burning {
  readonly state: BurnDown | null;
  readonly problem: Error | null;
  /** Whether usage can be counted by the scope of this budget. */
  readonly isCounted: boolean;
}

const BY: Readonly<Record<string, UsageQuery["by"]>> = { agent: "agent", workflow: "workflow", gateway: "gateway" };

function useBurnDown(budget: Registered): Burning {
  const { scope, scopeId } = budget;
  const period: Period = PERIODS.find((each) => each === budget["period"]) ?? "daily";
  const now = useNow();
  const isCounted = scope !== "team";
  const by = typeof scopeId === "string" ? BY[jsonToText(scope)] : undefined;
  const since = new Date(periodOf(period, now).start).toISOString();
  const query: UsageQuery = { bucket: period === "daily" ? "hour" : "day", since, ...(by === undefined ? {} : { by }) };
  const usage = useQuery(isCounted ? `usage:${JSON.stringify(query)}` : null, () => api.getUsage(query), {
    tags: ["runs"],
    everyMs: 30_000,
  });
  if (usage.data === undefined) return { state: null, problem: usage.problem, isCounted };
  const spending = usage.data.data
    .filter(({ group }) => by === undefined || group === scopeId)
    .map(({ bucketStart, costMicros }): Spent => ({ at: Date.parse(bucketStart), micros: costMicros }));
  return {
    state: burnDown(period, ceilingOf(budget), spending, now, bookedIn(budget, since)),
    problem: null,
    isCounted,
  };
}

/** Returns the amount counted by the gates, if it is for the shown period. */
function bookedIn({ spentMicros, periodStart }: Registered, since: string): number | undefined {
  return typeof spentMicros === "number" && periodStart === since ? spentMicros : undefined;
}

function ceilingOf({ amountUsd }: Registered): number {
  return Math.round(Number(amountUsd ?? 0) * 1_000_000);
}
