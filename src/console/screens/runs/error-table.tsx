import { type JSX, useMemo } from "react";
import type { Run } from "../../../client/index.ts";
import { Empty } from "../../parts/empty.tsx";
import { grouped } from "../../parts/figures.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { type ErrorGroup, groupByError } from "./error-groups.ts";

const COLUMNS: readonly Column<ErrorGroup>[] = [
  {
    id: "count",
    head: "Runs",
    isNumber: true,
    cell: ({ runs }) => <strong>{grouped(runs.length)}</strong>,
    sortBy: ({ runs }) => runs.length,
  },
  {
    id: "error",
    head: "Error",
    cell: ({ code, message }) => (
      <span className="run-cell">
        <code className="text-bad">{code ?? "no code"}</code>
        <span className="cut" title={message}>
          {message}
        </span>
      </span>
    ),
    sortBy: ({ code }) => code,
  },
  { id: "workflows", head: "Workflows", isWide: true, cell: ({ workflows }) => workflows.join(", ") },
  {
    id: "last",
    head: "Last",
    isWide: true,
    cell: ({ runs }) => <TimeText at={runs[0]?.createdAt} />,
    sortBy: ({ runs }) => runs[0]?.createdAt ?? null,
  },
];

interface ErrorTableProps {
  readonly runs: readonly Run[];
  /** Shows the runs of a group. */
  readonly onOpen: (group: ErrorGroup) => void;
}

/** The runs of the list, grouped by error. */
export function ErrorTable({ runs, onOpen }: ErrorTableProps): JSX.Element {
  const groups = useMemo(() => groupByError(runs), [runs]);
  if (groups.length === 0) return <Empty icon="check" title="No run of this list has failed" />;
  return <Table label="Errors" columns={COLUMNS} rows={groups} keyOf={({ key }) => key} onOpen={onOpen} rowPx={56} />;
}
