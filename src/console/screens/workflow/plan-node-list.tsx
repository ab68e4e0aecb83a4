import type { JSX } from "react";
import { Badge } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import type { DrawnNode, DrawnPlan } from "./check/protocol.ts";

const COLUMNS: readonly Column<DrawnNode>[] = [
  { id: "wave", head: "Layer", isNumber: true, cell: ({ wave }) => wave + 1, sortBy: ({ wave }) => wave },
  {
    id: "node",
    head: "Node",
    cell: ({ id, label }) => (
      <>
        <code>{id}</code> {label !== id && <span className="muted">{label}</span>}
      </>
    ),
    sortBy: ({ id }) => id,
  },
  {
    id: "kind",
    head: "Kind",
    cell: ({ kind, isForEach, isRepeated }) => (
      <span className="row">
        <Badge tone={kind === "gate" ? "hold" : "idle"}>{kind}</Badge>
        {isForEach && <Badge>for each</Badge>}
        {isRepeated && <Badge>repeat</Badge>}
      </span>
    ),
    sortBy: ({ kind }) => kind,
  },
  { id: "phase", head: "Phase", isWide: true, cell: ({ phase }) => phase ?? <span className="muted">–</span> },
  {
    id: "after",
    head: "Dependencies",
    cell: ({ waitsFor }) => (waitsFor === "" ? <span className="muted">nothing</span> : <code>{waitsFor}</code>),
  },
  { id: "agent", head: "Agent", isWide: true, cell: ({ agent }) => agent ?? <span className="muted">–</span> },
];

/** The plan as a list: the same nodes, in the order of their waves. */
export function PlanNodeList({ plan }: { readonly plan: DrawnPlan }): JSX.Element {
  return <Table label={`Nodes of ${plan.name}`} columns={COLUMNS} rows={plan.nodes} keyOf={({ id }) => id} />;
}
