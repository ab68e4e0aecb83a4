import { type JSX, lazy, Suspense, useMemo, useState } from "react";
import { Skeleton } from "../parts/skeleton.tsx";
import { ViewSwitch } from "../parts/view-switch.tsx";
import { sourceOfFeed } from "./model/feed-source.ts";
import { NodeList } from "./node-list.tsx";
import { useNodesPage } from "./nodes-page.ts";
import "./graph-pane.css";

/** Loading starts together with the page, without waiting for the run. */
const loading = import("../graph/plan-graph.tsx");
loading.catch(() => undefined);
const PlanGraph = lazy(async () => ({ default: (await loading).PlanGraph }));

/** The graph with live statuses, or the same nodes as a list. */
export function GraphPane({ isNarrow }: { readonly isNarrow: boolean }): JSX.Element {
  const { feed, nodes, hasPlan, node, selectNode, open, toggle, inside } = useNodesPage();
  const canOpen = inside !== undefined;
  const [isList, setList] = useState(!hasPlan);
  const source = useMemo(() => sourceOfFeed(feed, canOpen), [feed, canOpen]);
  const blocks = inside?.blocks;
  const insides = useMemo(() => new Map([...(blocks ?? [])].filter(([, { isChild }]) => !isChild)), [blocks]);
  const views = <ViewSwitch className="graph-switch" isList={isList} hasGraph={hasPlan} onChange={setList} />;
  return (
    <section className={`graph-pane ${isList ? "is-list" : ""}`} aria-label="Nodes of the run">
      {!isList && views}
      {isList ? (
        <NodeList>{views}</NodeList>
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
            {...(inside === undefined ? {} : { insides: insides, onOpenInside: inside.openStep })}
          />
        </Suspense>
      )}
    </section>
  );
}
