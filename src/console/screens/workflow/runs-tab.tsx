import type { JSX } from "react";
import type { Run } from "../../../client/index.ts";
import { Link, navigate } from "../../app/router.tsx";
import { api } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { Empty } from "../../parts/empty.tsx";
import { Money } from "../../parts/money.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Duration, TimeText } from "../../parts/time-text.tsx";

const COLUMNS: readonly Column<Run>[] = [
  {
    id: "status",
    head: "Status",
    cell: ({ status }) => <StatusBadge status={status} />,
    sortBy: ({ status }) => status,
  },
  {
    id: "run",
    head: "Run",
    cell: ({ id }) => (
      <Link to={`/runs/${id}`} className="mono">
        {id}
      </Link>
    ),
  },
  { id: "version", head: "Version", isNumber: true, isWide: true, cell: ({ version }) => version ?? "–" },
  { id: "trigger", head: "Started by", isWide: true, cell: ({ trigger }) => trigger },
  {
    id: "created",
    head: "Created",
    cell: ({ createdAt }) => <TimeText at={createdAt} />,
    sortBy: ({ createdAt }) => createdAt,
  },
  {
    id: "took",
    head: "Took",
    isNumber: true,
    cell: ({ startedAt, completedAt }) => <Duration from={startedAt} to={completedAt} />,
  },
  {
    id: "cost",
    head: "Cost",
    isNumber: true,
    cell: ({ costMicros }) => <Money micros={costMicros} />,
    sortBy: ({ costMicros }) => costMicros,
  },
];

const SHOWN = 50;

export function RunsTab({ name }: { readonly name: string }): JSX.Element {
  const runs = useQuery(`runs:of:${name}`, () => api.listRuns({ workflow: name, limit: SHOWN }), { tags: ["runs"] });
  if (runs.data === undefined)
    return runs.problem === null ? <Skeleton lines={6} height={28} /> : <ProblemView problem={runs.problem} />;
  if (runs.data.data.length === 0) {
    return (
      <Empty icon="run" title="No runs yet" command={`sluice run ${name}`}>
        Press <kbd>l</kbd> to launch the first one.
      </Empty>
    );
  }
  return (
    <div className="stack">
      <Panel isFlush>
        <Table
          label={`Runs of ${name}`}
          columns={COLUMNS}
          rows={runs.data.data}
          keyOf={({ id }) => id}
          onOpen={({ id }) => navigate(`/runs/${id}`)}
        />
      </Panel>
      {runs.data.nextCursor !== undefined && (
        <Link to={`/runs?workflow=${encodeURIComponent(name)}`}>All runs of {name}</Link>
      )}
    </div>
  );
}
