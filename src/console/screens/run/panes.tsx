import { type JSX, memo, type ReactNode, useSyncExternalStore } from "react";
import { useShortcuts } from "../../page/keyboard.ts";
import { useSearchParams } from "../../page/router.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { EventPane } from "./event-pane.tsx";
import { GraphPane } from "../../run/graph-pane.tsx";
import { LogPane } from "./log-pane.tsx";
import { NodePanel } from "./panel/node-panel.tsx";
import { useRunPage } from "./run-page.ts";
import { Splitter, useSplit } from "./splitter.tsx";
import { TimelinePane } from "./timeline-pane.tsx";

const NARROW = "(max-width: 760px)";
const LOWER = [
  { id: "timeline", label: "Timeline" },
  { id: "log", label: "Log" },
  { id: "events", label: "Events" },
];

/** Graph, timeline, log and node. Side by side on a wide screen, otherwise one at a time. */
export const Panes = memo(function Panes(): JSX.Element {
  const { node } = useRunPage();
  const search = useSearchParams();
  const isNarrow = useIsNarrow();
  const tab = search.get("tab") ?? (isNarrow ? "graph" : "timeline");
  const show = (next: string): void => search.set({ tab: next });
  useRunShortcuts(show);
  return isNarrow ? <NarrowPanes node={node} tab={tab} show={show} /> : <WidePanes node={node} tab={tab} show={show} />;
});

interface PanesProps {
  readonly node: string | null;
  readonly tab: string;
  readonly show: (tab: string) => void;
}

function NarrowPanes({ node, tab, show }: PanesProps): JSX.Element {
  const tabs = [{ id: "graph", label: "Graph" }, ...LOWER, ...(node === null ? [] : [{ id: "node", label: "Node" }])];
  const selected = tabs.some(({ id }) => id === tab) ? tab : "graph";
  const content: Readonly<Record<string, () => ReactNode>> = {
    graph: () => <GraphPane isNarrow />,
    timeline: () => <TimelinePane />,
    log: () => <LogPane />,
    events: () => <EventPane />,
    node: () => (node === null ? null : <NodePanel key={node} nodeId={node} />),
  };
  return (
    <div className="run-panes is-narrow">
      <Tabs label="Parts of the run" tabs={tabs} selected={selected} onSelect={show}>
        {content[selected]?.()}
      </Tabs>
    </div>
  );
}

function WidePanes({ node, tab, show }: PanesProps): JSX.Element {
  const lower = useSplit("run-lower", 260, 120, 700);
  const side = useSplit("run-side", 420, 300, 900);
  const selected = LOWER.some(({ id }) => id === tab) ? tab : "timeline";
  return (
    <div
      className="run-panes"
      style={{ gridTemplateColumns: node === null ? "minmax(0, 1fr)" : `minmax(0, 1fr) auto ${side.size}px` }}
    >
      <div className="run-main" style={{ gridTemplateRows: `minmax(120px, 1fr) auto ${lower.size}px` }}>
        <GraphPane isNarrow={false} />
        <Splitter label="Height of the lower pane" orientation="horizontal" split={lower} />
        <div className="run-lower">
          <Tabs label="Timeline, log and events" tabs={LOWER} selected={selected} onSelect={show}>
            {selected === "events" ? <EventPane /> : selected === "log" ? <LogPane /> : <TimelinePane />}
          </Tabs>
        </div>
      </div>
      {node !== null && (
        <>
          <Splitter label="Width of the node" orientation="vertical" split={side} />
          <NodePanel key={node} nodeId={node} />
        </>
      )}
    </div>
  );
}

function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(NARROW);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => matchMedia(NARROW).matches,
  );
}

function useRunShortcuts(show: (tab: string) => void): void {
  const { nodes, node, selectNode, selectEvent, travel, feed } = useRunPage();
  const step = (by: number): void => {
    const at = nodes.findIndex(({ id }) => id === node);
    const next = nodes[at === -1 ? (by > 0 ? 0 : nodes.length - 1) : at + by];
    if (next !== undefined) selectNode(next.id);
  };
  const jump = (by: number): void => {
    const last = feed.log.view.lastEventId;
    const at = (feed.pinnedAt ?? last) + by;
    travel(at >= last ? null : Math.max(1, at));
  };
  const toWaiting = (): void => {
    const waiting = [...feed.shown.approvals.values()].find(({ status }) => status === "pending");
    if (waiting !== undefined) selectNode(waiting.nodeId);
  };
  const toFailed = (): void => {
    const failed = [...feed.shown.nodes.values()].find(({ status }) => status === "failed" || status === "timed_out");
    if (failed !== undefined) selectNode(failed.id);
  };
  const group = "Run";
  useShortcuts([
    { keys: "]", label: "Next node", group, run: () => step(1) },
    { keys: "[", label: "Previous node", group, run: () => step(-1) },
    { keys: "t", label: "Timeline", group, run: () => show("timeline") },
    { keys: "l", label: "Log", group, run: () => show("log") },
    { keys: "e", label: "Events", group, run: () => show("events") },
    { keys: "a", label: "What waits for an approval", group, run: toWaiting },
    { keys: "x", label: "First node that failed", group, run: toFailed },
    { keys: ",", label: "One event back", group, run: () => jump(-1) },
    { keys: ".", label: "One event on", group, run: () => jump(1) },
    { keys: "n", label: "Back to now", group, run: () => travel(null) },
    {
      keys: "Escape",
      label: "Close node and event",
      group,
      run: () => {
        selectNode(null);
        selectEvent(null);
      },
    },
  ]);
}
