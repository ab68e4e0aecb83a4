import type { JSX } from "react";
import { isTerminal } from "../../core/event/index.ts";
import { plainText } from "../../core/text/index.ts";
import { Link } from "../page/router.tsx";
import type { Run } from "../../client/index.ts";
import { Money } from "./money.tsx";
import { RunBadge } from "./run-badge.tsx";
import { shortId } from "./short-id.ts";
import type { Column } from "./table.tsx";
import { Duration, TimeText } from "./time-text.tsx";
import { valueLine } from "./value-line.ts";
import "./run-columns.css";

/** Columns of runs, the same in every list. */
export const RUN_COLUMNS: readonly Column<Run>[] = [
  {
    id: "status",
    head: "Status",
    cell: ({ status, waitingFor }) => <RunBadge status={status} waitingFor={waitingFor} />,
    sortBy: ({ status, waitingFor }) => waitingFor ?? status,
  },
  {
    id: "run",
    head: "Run",
    cell: (run) => <RunCell run={run} />,
    sortBy: ({ workflow, id }) => `${workflow} ${id}`,
  },
  {
    id: "trigger",
    head: "Started by",
    cell: ({ trigger }) => trigger,
    sortBy: ({ trigger }) => trigger,
    isWide: true,
  },
  {
    id: "created",
    head: "Created",
    cell: ({ createdAt }) => <TimeText at={createdAt} />,
    sortBy: ({ createdAt }) => createdAt,
    isWide: true,
  },
  {
    id: "duration",
    head: "Duration",
    cell: ({ startedAt, completedAt, status }) => (
      <Duration from={startedAt} to={isTerminal(status) ? (completedAt ?? startedAt) : null} />
    ),
    sortBy: ({ startedAt, completedAt }) =>
      startedAt === undefined
        ? null
        : (completedAt === undefined ? Date.now() : Date.parse(completedAt)) - Date.parse(startedAt),
    isNumber: true,
    isWide: true,
  },
  {
    id: "cost",
    head: "Cost",
    cell: ({ costMicros }) => <Money micros={costMicros} />,
    sortBy: ({ costMicros }) => costMicros,
    isNumber: true,
  },
];

/** Height of a row with two lines. */
export const RUN_ROW_PX = 56;

/** First line: workflow and args. Second line: error, labels and id. */
function RunCell({ run: { id, workflow, version, args, labels, error } }: { readonly run: Run }): JSX.Element {
  const line = valueLine(args);
  const tags = Object.entries(labels).map(([name, text]) => `${name}:${text}`);
  return (
    <span className="run-cell">
      <span className="run-cell-name">
        <Link className="run-cell-link cut" to={`/runs/${id}`} title={workflow}>
          {workflow}
        </Link>
        {version !== null && <span className="muted">v{version}</span>}
        {line !== "" && (
          <span className="run-cell-args cut" title={line}>
            {line}
          </span>
        )}
      </span>
      <span className="run-cell-more cut">
        {error !== undefined && (
          <span className="text-bad" title={error.message}>
            {error.code === null || error.message.includes(error.code) ? "" : `${error.code}: `}
            {plainText(error.message)}{" "}
          </span>
        )}
        {tags.map((tag) => (
          <span key={tag} className="run-cell-label">
            {tag}
          </span>
        ))}
        <code title={id}>{shortId(id)}</code>
      </span>
    </span>
  );
}
