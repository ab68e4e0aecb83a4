import { type JSX, lazy, Suspense, useMemo, useState } from "react";
import type { GraphSource } from "../graph/graph-node.ts";
import { Skeleton } from "../parts/skeleton.tsx";
import { NodeList } from "./node-list.tsx";
import { useNodesPage } from "./nodes-page.ts";
import "../parts/segments.css";
import "./graph-pane.css";

/** Asked for together with the page, and not only when the run has been read. */
const loading = import("../graph/plan-graph.tsx");
loading.catch(() => undefined);
const PlanGraph = lazy(async () => ({ default: (await loading).PlanGraph }));
const NONE: readonly string[] = [];

/** The graph with live statuses, or the same nodes as a list. */
export function GraphPane({ isNarrow }: { readonly isNarrow: boolean }): JSX.Element {
  const { feed, nodes, hasPlan, node, selectNode, open, toggle } = useNodesPage();
  const [isList, setList] = useState(!hasPlan);
  const source = useMemo(
    (): GraphSource => ({
      onNodes: feed.onNodes,
      node: feed.node,
      handoffs: (from, to) => feed.facts.handoffs.get(`${from}>${to}`) ?? NONE,
      shownAt: feed.shownAt,
    }),
    [feed],
  );
  return (
    <section className={`graph-pane ${isList ? "is-list" : ""}`} aria-label="Nodes of the run">
      <div className="segments graph-switch" role="group" aria-label="How nodes are shown">
        <button type="button" aria-pressed={!isList} disabled={!hasPlan} onClick={() => setList(false)}>
          Graph
        </button>
        <button type="button" aria-pressed={isList} onClick={() => setList(true)}>
          List
        </button>
      </div>
      {isList ? (
        <NodeList />
      ) : (
        <Suspense fallback={<Skeleton lines={4} height={54} />}>
          <PlanGraph
            nodes={nodes}
            source={source}
            selected={node}
            onSelect={selectNode}
            open={open}
            onToggle={toggle}
            direction={isNarrow ? "down" : "right"}
            label="Graph of the run"
          />
        </Suspense>
      )}
    </section>
  );
}
