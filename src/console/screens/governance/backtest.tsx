import { type JSX, useState } from "react";
import type { BacktestReport } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";
import { Link } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Select } from "../../parts/select.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { TimeText } from "../../parts/time-text.tsx";

const SPANS = [
  ["1d", "Last day"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
] as const;

/** Shows which recorded verdicts the edited policy would have changed. */
export function Backtest({ name, spec }: { readonly name: string; readonly spec: JsonObject | null }): JSX.Element {
  const [since, setSince] = useState<string>("7d");
  const [report, setReport] = useState<BacktestReport | null>(null);
  const testing = useAction(async () => {
    if (spec !== null) setReport(await api.backtestPolicy({ kind: "Policy", name, spec }, since));
  });
  return (
    <Panel title="Backtest">
      <div className="stack">
        <p className="muted">Evaluates the recorded facts of earlier verdicts with this text. Nothing is changed.</p>
        <div className="row governance-backtest-form">
          <Field label="Period">
            <Select value={since} options={SPANS} onChange={setSince} />
          </Field>
          <Button icon="redo" disabled={spec === null} isBusy={testing.isBusy} onClick={() => void testing.run()}>
            Run backtest
          </Button>
        </div>
        {testing.problem !== null && <ProblemView problem={testing.problem} />}
        {report !== null && <Report report={report} />}
      </div>
    </Panel>
  );
}

type Example = BacktestReport["examples"][number];

const COLUMNS: readonly Column<Example>[] = [
  {
    id: "node",
    head: "Node",
    cell: ({ runId, nodeId }) => (
      <Link to={`/runs/${runId}?node=${encodeURIComponent(nodeId)}`} className="mono">
        {nodeId}
      </Link>
    ),
  },
  { id: "before", head: "Recorded", cell: ({ before }) => <StatusBadge status={before} /> },
  { id: "after", head: "With this policy", cell: ({ after }) => <StatusBadge status={after} /> },
  { id: "at", head: "Time", isWide: true, cell: ({ at }) => <TimeText at={at} /> },
];

function Report({ report }: { readonly report: BacktestReport }): JSX.Element {
  const changes = report.counts.filter(({ before, after }) => before !== after);
  return (
    <section className="stack" aria-label="Result of the backtest">
      <p role="status">
        Of <strong className="num">{report.looked}</strong> verdicts it would have matched{" "}
        <strong className="num">{report.matched}</strong> and changed <strong className="num">{report.changed}</strong>
        {report.uncertain > 0 && `, ${report.uncertain} of them because a fact is missing`}.
      </p>
      {changes.length > 0 && (
        <ul className="governance-counts">
          {changes.map(({ before, after, count }) => (
            <li key={`${before}-${after}`}>
              <StatusBadge status={before} /> → <StatusBadge status={after} /> <span className="num">{count}</span>
            </li>
          ))}
        </ul>
      )}
      {report.examples.length > 0 && (
        <Table label="Examples" columns={COLUMNS} rows={report.examples} keyOf={({ verdictId }) => verdictId} />
      )}
      {report.notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
      {report.isLimited && <p className="muted">Only the newest verdicts were looked at.</p>}
    </section>
  );
}
