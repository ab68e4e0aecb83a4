import type { JSX } from "react";
import type { Trends, TrendsQuery } from "../../../client/index.ts";
import { Link, navigate, useSearchParams } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { Empty } from "../../parts/empty.tsx";
import { Field } from "../../parts/field.tsx";
import { dollars, grouped, spanText } from "../../parts/figures.ts";
import { COST_COLUMN } from "../../parts/cost-column.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Select } from "../../parts/select.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { TrendChart } from "./trend-chart.tsx";
import { runsAddress, slotsOf, type TrendRow, trendRows, type TrendSlot } from "./trend-figures.ts";
import "./trends.css";

const SPANS = [
  ["1d", "Last day", "hour"],
  ["7d", "Last 7 days", "day"],
  ["30d", "Last 30 days", "day"],
  ["90d", "Last 90 days", "day"],
] as const;
const GROUPS = [
  ["workflow", "Workflow"],
  ["version", "Version"],
  ["agent", "Agent"],
  ["model", "Model"],
] as const;

/** Figures of runs over time. Each figure links to the runs it counts. */
export function TrendsScreen(): JSX.Element {
  const { get, set } = useSearchParams();
  const [since, , bucket] = SPANS.find(([id]) => id === get("since")) ?? SPANS[2];
  const by = GROUPS.find(([id]) => id === get("by"))?.[0] ?? "workflow";
  const group = get("group");
  const all = useTrends({ bucket, since, ...(group === null ? {} : { by, group }) });
  const each = useTrends({ bucket, since, by });
  const problem = all.problem ?? each.problem;
  return (
    <>
      <PageHead
        title="Trends"
        subtitle="How runs did over time. Every figure opens its runs. Days begin at midnight UTC."
      />
      <div className="trend-filters">
        <Field label="Span">
          <Select value={since} options={SPANS} onChange={(value) => set({ since: value })} />
        </Field>
        <Field label="Group by">
          <Select value={by} options={GROUPS} onChange={(value) => set({ by: value, group: null })} />
        </Field>
        <Field label="Show">
          <Select
            value={group ?? ""}
            options={[["", "All runs"], ...groupsOf(each.data)]}
            onChange={(value) => set({ group: value === "" ? null : value })}
          />
        </Field>
      </div>
      {problem !== null && <ProblemView problem={problem} />}
      {all.data === undefined ? (
        problem === null && <Skeleton lines={8} height={28} />
      ) : all.data.data.length === 0 ? (
        <Empty icon="chart" title="No run has ended in this time" command="sluice run demo-hello">
          Choose a longer span, or start one:
        </Empty>
      ) : (
        <div className="stack">
          <Charts slots={slotsOf(all.data, bucket)} />
          {each.data !== undefined && (
            <Panel title={`By ${by}`} isFlush>
              <Table
                label={`Trends by ${by}`}
                columns={COLUMNS}
                rows={trendRows(each.data)}
                keyOf={({ group }) => group}
                onOpen={({ filter }) => navigate(runsAddress(filter))}
              />
            </Panel>
          )}
        </div>
      )}
    </>
  );
}

function useTrends(query: TrendsQuery) {
  return useQuery(`trends ${JSON.stringify(query)}`, () => api.search.trends(query), { everyMs: 60_000 });
}

/** The values of the grouping in this time. Runs without one, for example without an agent, cannot be selected. */
function groupsOf(trends: Trends | undefined): readonly string[] {
  return [...new Set((trends?.data ?? []).flatMap(({ group }) => group ?? []))].toSorted();
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function Charts({ slots }: { readonly slots: readonly TrendSlot[] }): JSX.Element {
  return (
    <div className="trend-charts">
      <TrendChart
        title="Success rate"
        slots={slots}
        valueOf={({ successRate }) => successRate}
        text={percent}
        top={1}
        isLowBad
      />
      <TrendChart
        title="Throughput"
        slots={slots}
        valueOf={({ runs }) => runs}
        text={(runs) => `${grouped(runs)} runs`}
      />
      <TrendChart title="Duration, p50" slots={slots} valueOf={({ p50Ms }) => p50Ms} text={spanText} />
      <TrendChart title="Duration, p95" slots={slots} valueOf={({ p95Ms }) => p95Ms} text={spanText} />
      <TrendChart title="Waiting time" slots={slots} valueOf={({ waitingMs }) => waitingMs} text={spanText} />
      <TrendChart title="Cost" slots={slots} valueOf={({ costMicros }) => costMicros} text={dollars} />
    </div>
  );
}

const COLUMNS: readonly Column<TrendRow>[] = [
  {
    id: "group",
    head: "Name",
    cell: ({ group, filter }) => <Link to={runsAddress(filter)}>{group}</Link>,
    sortBy: ({ group }) => group,
  },
  { id: "runs", head: "Runs", isNumber: true, cell: ({ runs }) => grouped(runs), sortBy: ({ runs }) => runs },
  {
    id: "failed",
    head: "Failed",
    isNumber: true,
    cell: ({ failed }) => <span className={failed > 0 ? "text-bad" : "muted"}>{grouped(failed)}</span>,
    sortBy: ({ failed }) => failed,
  },
  {
    id: "success",
    head: "Success",
    isNumber: true,
    cell: ({ successRate }) => (successRate === null ? "–" : `${Math.round(successRate * 100)} %`),
    sortBy: ({ successRate }) => successRate,
  },
  {
    id: "p95",
    head: "Highest p95",
    isNumber: true,
    isWide: true,
    cell: ({ p95Ms }) => (p95Ms === null ? "–" : spanText(p95Ms)),
    sortBy: ({ p95Ms }) => p95Ms,
  },
  COST_COLUMN,
];
