import { type JSX, useEffect, useMemo, useRef, useState } from "react";
import type { RunEvent } from "../../../core/event/index.ts";
import { frameEvent, type NodeView } from "../../../core/view/index.ts";
import { Button } from "../../parts/button.tsx";
import { spanText } from "../../parts/figures.ts";
import { Money } from "../../parts/money.tsx";
import { nodeLook, StatusBadge } from "../../parts/status.tsx";
import type { Column } from "../../parts/table.tsx";
import { Duration } from "../../parts/time-text.tsx";
import { GraphPane } from "../../run/graph-pane.tsx";
import { excerptOf } from "../../run/model/excerpt.ts";
import { RunFeed, startOfPlan } from "../../run/model/run-feed.ts";
import { PACE } from "../../run/pace.ts";
import { ModelText } from "../../run/model-text.tsx";
import { CurrentNodes, useNodesPage, useNodeView, useNodeViews, useRunView } from "../../run/nodes-page.ts";
import { NodeTable } from "../../run/node-list.tsx";
import { useInstances } from "../../run/use-instances.ts";
import type { DrawnPlan } from "./check/protocol.ts";
import { adviceFor } from "./provider-advice.ts";

/** A run in this page. Its state is folded from the engine's events, as for any other run. */
export interface PageRun {
  /** A different number for each run. */
  readonly key: number;
  readonly feed: RunFeed;
  readonly plan: DrawnPlan;
  readonly isOwnModel: boolean;
  readonly take: (events: readonly RunEvent[]) => void;
  readonly stop: () => void;
}

let begun = 0;

export function beginPageRun(plan: DrawnPlan, isOwnModel: boolean, stop: () => void): PageRun {
  const feed = new RunFeed(startOfPlan(plan), PACE);
  const about = { runId: "run_in_this_page", workflowId: plan.name, traceId: "" };
  begun += 1;
  return {
    key: begun,
    feed,
    plan,
    isOwnModel,
    take: (events) => feed.take(events.map((event) => frameEvent(event, about))),
    stop,
  };
}

interface PageRunViewProps {
  readonly run: PageRun;
  /** Whether the run has not ended yet. */
  readonly isGoing: boolean;
}

/** A live run in the page: its graph, its list of nodes, and the answer of each node. */
export function PageRunView({ run, isGoing }: PageRunViewProps): JSX.Element {
  const { feed, plan } = run;
  const section = useRef<HTMLElement>(null);
  // The form is above the run, so the started run is scrolled into view.
  useEffect(() => {
    section.current?.scrollIntoView({ block: "start" });
  }, []);
  const [node, selectNode] = useState<string | null>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const instances = useInstances(feed);
  const nodes = useMemo(
    () =>
      plan.nodes.map(({ dependsOn, ...rest }) => ({
        ...rest,
        parents: dependsOn,
        instances: instances.get(rest.id) ?? [],
      })),
    [plan, instances],
  );
  const page = useMemo(() => {
    const toggle = (id: string): void => {
      const next = new Set(open);
      if (!next.delete(id)) next.add(id);
      setOpen(next);
    };
    return { feed, nodes, hasPlan: true, node, selectNode, open, toggle };
  }, [feed, nodes, node, open]);
  return (
    <CurrentNodes value={page}>
      <section ref={section} className="stack workflow-page-run" aria-label="Result of the simulation">
        <PageRunHead run={run} isGoing={isGoing} />
        <div className="workflow-page-graph">
          <GraphPane isNarrow />
        </div>
        {node !== null && <NodeAnswer key={node} id={node} isOwnModel={run.isOwnModel} />}
        <AnswerTable />
      </section>
    </CurrentNodes>
  );
}

function PageRunHead({ run, isGoing }: PageRunViewProps): JSX.Element {
  const view = useRunView();
  const [isStopping, setStopping] = useState(false);
  const failed = run.isOwnModel ? [...view.nodes.values()].find((each) => troubleOf(each) !== null) : undefined;
  return (
    <>
      <div className="spread">
        <p className="row workflow-page-facts" role="status">
          <StatusBadge status={isGoing && view.lastEventId === 0 ? "running" : view.status} />
          <span>
            <Duration from={view.startedAt} to={view.endedAt} />
          </span>
          <span>
            Cost <Money micros={view.costMicros} />
          </span>
          <span className="num">
            {view.counts.completed} of {view.nodes.size} completed
          </span>
        </p>
        {isGoing && (
          <Button
            icon="stop"
            isBusy={isStopping}
            onClick={() => {
              setStopping(true);
              run.stop();
            }}
          >
            Stop
          </Button>
        )}
      </div>
      {failed !== undefined && <Trouble node={failed} />}
      <p className="muted workflow-page-note">
        No gate was asked: in a page everything passes. Nothing of it is kept when you leave.
      </p>
    </>
  );
}

/** The first failure, with advice. Only the first is shown, because the others usually have the same cause. */
function Trouble({ node }: { readonly node: NodeView }): JSX.Element {
  return (
    <div className="note" role="alert">
      <p>
        <code>{node.id}</code> failed: {excerptOf(node.errorMessage ?? "", "start", TROUBLE_SHOWN).text}{" "}
        <code className="muted">{node.errorCode}</code>
      </p>
      <p>{troubleOf(node)}</p>
    </div>
  );
}

const TROUBLE_SHOWN = 400;
const ANSWER_SHOWN = 240;

function troubleOf(node: NodeView): string | null {
  return node.errorCode === null ? null : adviceFor(node, location.origin);
}

function NodeAnswer({ id, isOwnModel }: { readonly id: string; readonly isOwnModel: boolean }): JSX.Element | null {
  const node = useNodeView(id);
  const { selectNode } = useNodesPage();
  if (node === undefined) return null;
  const advice = isOwnModel ? troubleOf(node) : null;
  const text = answerOf(node);
  return (
    <section className="workflow-page-answer" aria-label={`Node ${id}`}>
      <div className="spread">
        <p className="row workflow-page-facts">
          <code>{id}</code>
          <StatusBadge status={nodeLook(node)} />
          {isGrowing(node) && <Duration from={node.startedAt} />}
          {node.durationMs !== null && <span className="num">{spanText(node.durationMs)}</span>}
          <Money micros={node.costMicros} />
          {node.attempts > 1 && <span className="num">attempt {node.attempts}</span>}
        </p>
        <Button kind="quiet" size="small" icon="cross" label="Close" onClick={() => selectNode(null)} />
      </div>
      {text === "" ? (
        <p className="muted">No answer yet.</p>
      ) : (
        <ModelText label={`Answer of ${id}`} text={text} isGrowing={isGrowing(node)} />
      )}
      {advice !== null && <p className="note">{advice}</p>}
    </section>
  );
}

const COLUMNS: readonly Column<NodeView>[] = [
  { id: "node", head: "Node", cell: ({ id }) => <code>{id}</code> },
  { id: "status", head: "Status", cell: (node) => <StatusBadge status={nodeLook(node)} /> },
  {
    id: "answer",
    head: "Answer",
    cell: (node) => (
      <span className="workflow-answer">{excerptOf(answerOf(node), endOf(node), ANSWER_SHOWN).text}</span>
    ),
  },
];

/** A line for each node and each instance. The text of a streaming node grows as it arrives. */
function AnswerTable(): JSX.Element {
  const rows = useNodeViews();
  return (
    <div className="workflow-page-answers">
      <NodeTable label="Nodes of the simulation" columns={COLUMNS} rows={rows} />
    </div>
  );
}

function answerOf(node: NodeView): string {
  return node.errorMessage ?? node.output ?? node.streamedText;
}

function isGrowing({ status }: NodeView): boolean {
  return status === "running" || status === "streaming";
}

function endOf(node: NodeView): "start" | "end" {
  return isGrowing(node) ? "end" : "start";
}
