import type { JSX } from "react";
import type { RunView } from "../../../client/index.ts";
import { Money } from "../../parts/money.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";

type NodeView = RunView["nodes"] extends ReadonlyMap<string, infer N> ? N : never;

const OUTPUT_SHOWN = 240;

const COLUMNS: readonly Column<NodeView>[] = [
  { id: "node", head: "Node", cell: ({ id }) => <code>{id}</code>, sortBy: ({ id }) => id },
  {
    id: "status",
    head: "Status",
    cell: ({ status }) => <StatusBadge status={status} />,
    sortBy: ({ status }) => status,
  },
  { id: "attempts", head: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
  { id: "cost", head: "Cost", isNumber: true, cell: ({ costMicros }) => <Money micros={costMicros} /> },
  {
    id: "answer",
    head: "Answer",
    isWide: true,
    cell: (node) => <span className="workflow-answer">{answerOf(node)}</span>,
  },
];

/** What happened in the page: the fold of the events the engine told, as for any other run. */
export function PageRunView({ view }: { readonly view: RunView }): JSX.Element {
  return (
    <section className="stack" aria-label="Result of the simulation">
      <p className="row">
        <StatusBadge status={view.status} />
        <span>
          Cost <Money micros={view.costMicros} />
        </span>
        <span className="muted">No gate was asked: in a page everything passes.</span>
      </p>
      <Table label="Nodes of the simulation" columns={COLUMNS} rows={[...view.nodes.values()]} keyOf={({ id }) => id} />
    </section>
  );
}

function answerOf(node: NodeView): string {
  const text = node.errorMessage ?? node.output ?? "";
  return text.length > OUTPUT_SHOWN ? `${text.slice(0, OUTPUT_SHOWN)}…` : text;
}
