import type { JSX, ReactNode } from "react";
import type { StateNode } from "../../../client/index.ts";
import { spanText } from "../../parts/figures.ts";
import { Money } from "../../parts/money.tsx";
import { nodeLook, StatusBadge, StatusIcon } from "../../parts/status.tsx";
import type { Column } from "../../parts/table.tsx";
import type { Aspect, NodePair } from "./comparison.ts";
import { DiffersMark } from "./differs-mark.tsx";

/** Table columns for nodes of two runs: each cell shows left and right and is marked where they differ. */
export const NODE_COLUMNS: readonly Column<NodePair>[] = [
  {
    id: "node",
    head: "Node",
    cell: ({ id, label, left, right, differs }) => (
      <span className="compare-node" title={label}>
        <span className="cut">{id}</span>
        {left === null && <span className="muted">only on the right</span>}
        {right === null && <span className="muted">only on the left</span>}
        {differs.has("prompt") && <span className="is-different nowrap">other prompt</span>}
      </span>
    ),
    sortBy: ({ id }) => id,
  },
  {
    id: "status",
    head: "Status",
    cell: (pair) => (
      <Two pair={pair} aspect="status">
        {(node) => <Status node={node} />}
      </Two>
    ),
    sortBy: ({ left, right }) => `${left?.status ?? ""} ${right?.status ?? ""}`,
  },
  {
    id: "attempts",
    head: "Attempts",
    isNumber: true,
    isWide: true,
    cell: (pair) => (
      <Two pair={pair} aspect="attempts">
        {({ attempts }) => attempts}
      </Two>
    ),
  },
  {
    id: "cost",
    head: "Cost",
    isNumber: true,
    isWide: true,
    cell: (pair) => (
      <Two pair={pair} aspect="cost">
        {({ costMicros }) => <Money micros={costMicros} />}
      </Two>
    ),
    sortBy: ({ left, right }) => (right?.costMicros ?? 0) - (left?.costMicros ?? 0),
  },
  {
    id: "duration",
    head: "Duration",
    isNumber: true,
    isWide: true,
    cell: (pair) => (
      <Two pair={pair} aspect="duration">
        {({ durationMs }) => (durationMs === null ? "–" : spanText(durationMs))}
      </Two>
    ),
    sortBy: ({ left, right }) => (right?.durationMs ?? 0) - (left?.durationMs ?? 0),
  },
  {
    id: "result",
    head: "Result",
    cell: ({ left, right, differs }) =>
      left === null || right === null ? (
        <span className="muted">–</span>
      ) : differs.has("result") ? (
        <span className="nowrap is-different">
          differs
          <DiffersMark />
        </span>
      ) : (
        <span className="muted">same</span>
      ),
    sortBy: ({ differs }) => (differs.has("result") ? 0 : 1),
  },
];

/** Shows the status as words where there is space. The icon has the same text for screen readers. */
function Status({ node }: { readonly node: StateNode }): JSX.Element {
  const status = nodeLook(node);
  return (
    <>
      <span className="compare-wide">
        <StatusBadge status={status} />
      </span>
      <span className="compare-narrow">
        <StatusIcon status={status} />
      </span>
    </>
  );
}

interface TwoProps {
  readonly pair: NodePair;
  readonly aspect: Aspect;
  readonly children: (node: StateNode) => ReactNode;
}

function Two({ pair: { left, right, differs }, aspect, children }: TwoProps): JSX.Element {
  const cell = (node: StateNode | null): ReactNode =>
    node === null ? <span className="muted">–</span> : children(node);
  const isDifferent = differs.has(aspect);
  return (
    <span className={`compare-two num ${isDifferent ? "is-different" : ""}`}>
      {cell(left)}
      <span className="muted" aria-hidden="true">
        →
      </span>
      {cell(right)}
      {isDifferent && <DiffersMark />}
    </span>
  );
}
