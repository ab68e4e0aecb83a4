import { type JSX, useMemo } from "react";
import type { Usage, UsageQuery } from "../../../client/index.ts";
import { useSearchParams } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { BarChart } from "../../parts/bar-chart.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field } from "../../parts/field.tsx";
import { dollars, grouped, short } from "../../parts/figures.ts";
import { Money } from "../../parts/money.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Select } from "../../parts/select.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { csvOf, type Measure, seriesOf, type Spender, spendersOf } from "./usage-series.ts";
import "./usage.css";

const GROUPS = ["agent", "model", "workflow", "gateway"] as const;
const MEASURES = [
  ["cost", "Cost"],
  ["tokens", "Tokens"],
  ["count", "Attempts"],
] as const satisfies readonly (readonly [Measure, string])[];
/** The selectable time spans, each with its bucket size. */
const SPANS = [
  ["1d", "Last day", "hour"],
  ["7d", "Last 7 days", "day"],
  ["30d", "Last 30 days", "day"],
  ["90d", "Last 90 days", "week"],
] as const;

export function UsageScreen(): JSX.Element {
  const { get, set } = useSearchParams();
  const by = GROUPS.find((each) => each === get("by")) ?? "agent";
  const measure = MEASURES.find(([id]) => id === get("measure"))?.[0] ?? "cost";
  const [since, , bucket] = SPANS.find(([id]) => id === get("since")) ?? SPANS[1];
  const query: UsageQuery = { by, bucket, since };
  const usage = useQuery(`usage:${JSON.stringify(query)}`, () => api.getUsage(query), {
    tags: ["runs"],
    everyMs: 60_000,
  });
  return (
    <>
      <PageHead
        title="Usage"
        subtitle="What was spent, by whom and on what. Days begin at midnight UTC."
        actions={
          <Button
            icon="download"
            disabled={usage.data === undefined}
            onClick={() => usage.data !== undefined && download(usage.data)}
          >
            Export CSV
          </Button>
        }
      />
      <div className="stack">
        <div className="usage-filters" role="group" aria-label="What is shown">
          <Choice
            label="Group by"
            value={by}
            options={GROUPS.map((each) => [each, `${each.charAt(0).toUpperCase()}${each.slice(1)}`])}
            onChange={(value) => set({ by: value })}
          />
          <Choice label="Measure" value={measure} options={MEASURES} onChange={(value) => set({ measure: value })} />
          <Choice label="Span" value={since} options={SPANS} onChange={(value) => set({ since: value })} />
        </div>
        {usage.data === undefined && usage.problem === null && <Skeleton lines={8} height={28} />}
        {usage.data === undefined && usage.problem !== null && <ProblemView problem={usage.problem} />}
        {usage.data !== undefined && <Shown usage={usage.data} by={by} measure={measure} />}
      </div>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string, ...unknown[]])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps): JSX.Element {
  return (
    <Field label={label}>
      <Select value={value} options={options} onChange={onChange} />
    </Field>
  );
}

interface ShownProps {
  readonly usage: Usage;
  readonly by: string;
  readonly measure: Measure;
}

function Shown({ usage, by, measure }: ShownProps): JSX.Element {
  const { bars, groups } = useMemo(() => seriesOf(usage, measure), [usage, measure]);
  const spenders = useMemo(() => spendersOf(usage), [usage]);
  const { totals } = usage;
  const label = MEASURES.find(([id]) => id === measure)?.[1] ?? "Cost";
  if (usage.data.length === 0) {
    return (
      <Empty icon="chart" title="Nothing was spent in this time" command="sluice run demo-hello">
        Usage appears here as soon as the first node has reported.
      </Empty>
    );
  }
  return (
    <>
      <dl className="usage-totals">
        <Figure name="Cost" value={<Money micros={totals.costMicros} />} />
        <Figure name="Input tokens" value={grouped(totals.inputTokens)} />
        <Figure name="Output tokens" value={grouped(totals.outputTokens)} />
        <Figure name="Cached tokens" value={grouped(totals.cachedTokens)} />
        <Figure name="Attempts" value={grouped(totals.count)} />
      </dl>
      <Panel title={`${label} by ${by}`}>
        <BarChart
          label={`${label} by ${by} over time`}
          bars={bars}
          groups={groups}
          valueText={measure === "cost" ? dollars : short}
        />
      </Panel>
      <Panel title="Top spenders" isFlush>
        <Table label={`Spent by ${by}`} columns={columnsFor(by)} rows={spenders} keyOf={({ group }) => group} />
      </Panel>
    </>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: JSX.Element | string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{value}</dd>
    </div>
  );
}

function columnsFor(by: string): readonly Column<Spender>[] {
  return [
    {
      id: "group",
      head: by.charAt(0).toUpperCase() + by.slice(1),
      cell: ({ group }) => group,
      sortBy: ({ group }) => group,
    },
    {
      id: "cost",
      head: "Cost",
      isNumber: true,
      cell: ({ costMicros }) => <Money micros={costMicros} />,
      sortBy: ({ costMicros }) => costMicros,
    },
    {
      id: "share",
      head: "Share",
      isWide: true,
      cell: ({ share }) => (
        <span className="row">
          <svg className="usage-share" width={120} height={8} aria-hidden="true">
            <rect width={120} height={8} rx={2} />
            <rect className="is-on" width={120 * share} height={8} rx={2} />
          </svg>
          <span className="num">{(share * 100).toFixed(1)} %</span>
        </span>
      ),
    },
    {
      id: "tokens",
      head: "Tokens",
      isNumber: true,
      cell: ({ tokens }) => grouped(tokens),
      sortBy: ({ tokens }) => tokens,
    },
    {
      id: "count",
      head: "Attempts",
      isNumber: true,
      isWide: true,
      cell: ({ count }) => grouped(count),
      sortBy: ({ count }) => count,
    },
  ];
}

/** Downloads a CSV file that is created in the page, because the figures are already loaded. */
function download(usage: Usage): void {
  const url = URL.createObjectURL(new Blob([csvOf(usage)], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `usage-${usage.by ?? "all"}-${usage.since.slice(0, 10)}-${usage.until.slice(0, 10)}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
