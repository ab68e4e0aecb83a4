import { type JSX, type ReactNode, useMemo, useState } from "react";
import { COST_COLUMN } from "../parts/cost-column.tsx";
import { nodeLook, StatusBadge } from "../parts/status.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { spanText } from "../parts/figures.ts";
import { type NodeRow, NodeRows } from "./model/node-rows.ts";
import { countGroups, type StatusGroup, statusGroup } from "./model/status-groups.ts";
import { useNodesPage, useNodeViews } from "./nodes-page.ts";
import { StatusFilter } from "./status-filter.tsx";

const COLUMNS: readonly Column<NodeRow>[] = [
  { id: "wave", head: "Layer", isNumber: true, cell: ({ wave }) => (wave ?? 0) + 1, sortBy: ({ wave }) => wave },
  { id: "name", head: "Node", cell: ({ label }) => label, sortBy: ({ label }) => label },
  {
    id: "status",
    head: "Status",
    cell: (row) => <StatusBadge status={nodeLook(row)} />,
    sortBy: ({ status }) => status,
  },
  {
    id: "attempts",
    head: "Attempts",
    isNumber: true,
    isWide: true,
    cell: ({ attempts }) => attempts,
    sortBy: ({ attempts }) => attempts,
  },
  {
    id: "duration",
    head: "Duration",
    isNumber: true,
    cell: ({ durationMs }) => (durationMs === null ? "–" : spanText(durationMs)),
    sortBy: ({ durationMs }) => durationMs,
  },
  COST_COLUMN,
  {
    id: "error",
    head: "Reason",
    isWide: true,
    cell: whyOf,
    sortBy: ({ errorCode }) => errorCode,
  },
];

function whyOf({ errorCode, waitingReason, failedInstances, isCarried, isHandled }: NodeRow): string {
  if (isHandled) return `handled, ${errorCode ?? ""}`;
  if (isCarried) return "carried over";
  if (failedInstances > 0) return `${failedInstances} failed${errorCode === null ? "" : `, ${errorCode}`}`;
  return errorCode ?? waitingReason?.replaceAll("_", " ") ?? "";
}

/** The graph as a list, for people who prefer text and for screen readers. `children` are drawn beside the filter. */
export function NodeList({ children }: { readonly children: ReactNode }): JSX.Element {
  const views = useNodeViews();
  const [lines] = useState(() => new NodeRows());
  const [group, setGroup] = useState<StatusGroup | null>(null);
  const rows = useMemo(() => lines.of(views), [lines, views]);
  const counts = useMemo(() => countGroups(rows.map(nodeLook)), [rows]);
  const wanted = useMemo(
    () => (group === null ? rows : rows.filter((row) => statusGroup(nodeLook(row)) === group)),
    [rows, group],
  );
  return (
    <div className="node-list">
      <div className="node-list-bar spread">
        <StatusFilter label="Filter nodes" counts={counts} value={group} onChange={setGroup} />
        {children}
      </div>
      <NodeTable label="Nodes" columns={COLUMNS} rows={wanted} />
    </div>
  );
}

interface NodeTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
}

/** A table with a row for each node. Opening a row selects its node on the page. */
export function NodeTable<T extends { readonly id: string }>(props: NodeTableProps<T>): JSX.Element {
  const { node, selectNode } = useNodesPage();
  return <Table {...props} keyOf={({ id }) => id} current={node} onOpen={({ id }) => selectNode(id)} />;
}
