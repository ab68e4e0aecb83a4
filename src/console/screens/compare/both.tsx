import { type JSX, useMemo } from "react";
import type { Run, State } from "../../../client/index.ts";
import { isTerminal } from "../../../core/event/index.ts";
import { useSearchParams } from "../../page/router.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Panel } from "../../parts/panel.tsx";
import { SideDiff } from "../../parts/side-diff.tsx";
import { Table } from "../../parts/table.tsx";
import { type EditedPrompts, pairNodes, prettyJson } from "./comparison.ts";
import { FactTable } from "./fact-table.tsx";
import { NODE_COLUMNS } from "./node-columns.tsx";
import { NodeDifference } from "./node-difference.tsx";

export interface Side {
  readonly run: Run;
  readonly state: State;
  /** Undefined while the prompts are loading. */
  readonly prompts: EditedPrompts | undefined;
}

export interface Sides {
  readonly left: Side;
  readonly right: Side;
}

/** Both runs and their nodes. The selected node is stored in the address. */
export function Both({ left, right }: Sides): JSX.Element {
  const { get, set } = useSearchParams();
  const pairs = useMemo(
    () => pairNodes(left.state.nodeResults, right.state.nodeResults, left.prompts, right.prompts),
    [left.state.nodeResults, right.state.nodeResults, left.prompts, right.prompts],
  );
  const differing = pairs.filter(({ differs }) => differs.size > 0);
  const isAll = get("show") === "all";
  const shown = isAll ? pairs : differing;
  const looked = pairs.find(({ id }) => id === get("node"));
  // When no node differs, only results that one run took over from the other can make it cheaper.
  const unpaid =
    left.state.costMicros === right.state.costMicros ? "" : " What was carried over was not paid for a second time.";
  const isMoving = !isTerminal(left.run.status) || !isTerminal(right.run.status);
  return (
    <div className="stack">
      <FactTable left={left} right={right} />
      <Args left={left.run} right={right.run} />
      <Panel
        title={differing.length === 0 ? "No node differs" : `${differing.length} of ${pairs.length} nodes differ`}
        isFlush
        actions={
          <label className="row compare-all">
            <input
              type="checkbox"
              checked={isAll}
              onChange={(event) => set({ show: event.target.checked ? "all" : null })}
            />
            Show all nodes
          </label>
        }
      >
        {shown.length === 0 ? (
          <Empty icon="check" title="All nodes went the same way">
            {isMoving
              ? "So far: a run has not ended."
              : `Prompts, status, attempts, cost and results are the same in both.${unpaid}`}
          </Empty>
        ) : (
          <Table
            label="Nodes of both runs"
            columns={NODE_COLUMNS}
            rows={shown}
            keyOf={({ id }) => id}
            current={looked?.id ?? null}
            onOpen={({ id }) => set({ node: id })}
          />
        )}
      </Panel>
      {looked !== undefined && (
        <NodeDifference pair={looked} leftId={left.run.id} rightId={right.run.id} onClose={() => set({ node: null })} />
      )}
    </div>
  );
}

function Args({ left, right }: { readonly left: Run; readonly right: Run }): JSX.Element {
  const [before, after] = [prettyJson(left.args), prettyJson(right.args)];
  const isEmpty = before === "{}" && after === "{}";
  const diff = <SideDiff label="Args of both runs" left={before} right={after} />;
  if (isEmpty) return <p className="muted">Neither run was given args.</p>;
  if (before === after) {
    return (
      <details className="compare-same">
        <summary>The same args</summary>
        {diff}
      </details>
    );
  }
  return (
    <Panel title="Other args" isFlush>
      {diff}
    </Panel>
  );
}
