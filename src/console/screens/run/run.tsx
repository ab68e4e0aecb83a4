import { type JSX, useCallback, useEffect, useMemo, useState } from "react";
import type { PlanDescription, Run } from "../../../client/index.ts";
import { navigate, useSearchParams } from "../../page/router.tsx";
import type { ScreenProps } from "../../page/screen-props.ts";
import { type GraphNode, outlinedNodesOf } from "../../graph/graph-node.ts";
import { api } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { ActionDialog } from "./action-dialogs.tsx";
import { RequestRunAction, type RunAction } from "./run-action.ts";
import type { RunFeed } from "../../run/model/run-feed.ts";
import { Panes } from "./panes.tsx";
import { RunHead } from "./run-head.tsx";
import { CurrentNodes } from "../../run/nodes-page.ts";
import { CurrentRun, type RunPage } from "./run-page.ts";
import { Scrubber } from "./scrubber.tsx";
import { useInstances } from "../../run/use-instances.ts";
import { useOpenBlocks } from "./use-open-blocks.ts";
import { useRunFeed } from "./use-run-feed.ts";
import "./run.css";

/** The page of one run, in its present state or at an earlier event. */
export function RunScreen({ params }: ScreenProps): JSX.Element {
  const runId = params["id"] ?? "";
  const [again, setAgain] = useState(0);
  const run = useQuery(`run ${runId}`, () => api.getRun(runId), { tags: [`run:${runId}`] });
  const { feed, problem } = useRunFeed(runId, again);
  const version = run.data?.version ?? null;
  const plan = useQuery(
    run.data === undefined || version === null ? null : `version ${run.data.workflow} ${version}`,
    async () => (await api.getVersion(run.data?.workflow ?? "", version ?? 1)).plan,
    { freshMs: Infinity },
  );
  const trouble = run.problem ?? problem;
  if (run.data === undefined || feed === null) {
    return (
      <>
        <PageHead title="Run" />
        {trouble === null ? (
          <Skeleton lines={8} height={28} />
        ) : (
          <Empty icon="warn" title="This run cannot be shown" command="sluice runs list">
            <ProblemView
              problem={trouble}
              onRetry={() => {
                setAgain(again + 1);
                void run.refresh();
              }}
            />
          </Empty>
        )}
      </>
    );
  }
  // Without a plan, for example without permission to read workflows, the nodes are listed without it.
  const isPlanKnown = version === null || plan.data !== undefined || plan.problem !== null;
  return isPlanKnown ? (
    <OpenRun key={runId} run={run.data} feed={feed} file={plan.data ?? null} problem={problem} />
  ) : (
    <Skeleton lines={8} height={28} />
  );
}

interface OpenRunProps {
  readonly run: Run;
  readonly feed: RunFeed;
  /** The plan of the whole workflow, including its blocks. */
  readonly file: PlanDescription | null;
  readonly problem: Error | null;
}

function OpenRun({ run, feed, file, problem }: OpenRunProps): JSX.Element {
  const page = useRunPageState(run, feed, file);
  const [requested, setRequested] = useState<RunAction | null>(null);
  return (
    <CurrentRun value={page}>
      <CurrentNodes value={page}>
        <RequestRunAction value={setRequested}>
          <div className="run-page" data-run-event={feed.shown.lastEventId}>
            <RunHead />
            {problem !== null && <ProblemView problem={problem} />}
            <Panes />
            <Scrubber />
          </div>
          {requested !== null && <ActionDialog action={requested} onClose={() => setRequested(null)} />}
        </RequestRunAction>
      </CurrentNodes>
    </CurrentRun>
  );
}

/** Returns the state of the page. The selection is stored in the address so that it can be shared. */
function useRunPageState(run: Run, feed: RunFeed, file: PlanDescription | null): RunPage {
  const plan = planOf(run, file);
  const search = useSearchParams();
  const { set } = search;
  const nodes = useNodes(feed, plan);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const blocks = useOpenBlocks(feed, file, open);
  const at = numberOf(search.get("at"));
  const isReady = feed.isCaughtUp;
  useEffect(() => feed.pin(isReady ? at : null), [feed, at, isReady]);
  const toggle = useCallback((id: string): void => {
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const selectNode = useCallback((node: string | null): void => set({ node }), [set]);
  const selectEvent = useCallback((event: number | null): void => set({ event: textOf(event) }), [set]);
  const travel = useCallback((eventId: number | null): void => set({ at: textOf(eventId) }), [set]);
  const node = search.get("node");
  const event = numberOf(search.get("event"));
  return useMemo(
    () => ({
      run,
      feed,
      nodes,
      hasPlan: plan !== null,
      node,
      event,
      selectNode,
      selectEvent,
      travel,
      open,
      toggle,
      inside: { blocks, openStep },
    }),
    [run, feed, nodes, plan, node, event, selectNode, selectEvent, travel, open, toggle, blocks],
  );
}

function openStep(runId: string, nodeId: string): void {
  navigate(`/runs/${encodeURIComponent(runId)}?node=${encodeURIComponent(nodeId)}`);
}

/** Returns the plan of the run. For the run of a block, this is the plan of that block. */
function planOf({ block }: Run, plan: PlanDescription | null): PlanDescription | null {
  return block === undefined ? plan : (plan?.blocks?.[block] ?? null);
}

function useNodes(feed: RunFeed, plan: PlanDescription | null): readonly GraphNode[] {
  const instances = useInstances(feed);
  return useMemo(() => {
    return outlinedNodesOf(feed.log.outline.nodes, plan, instances);
  }, [feed, plan, instances]);
}

function numberOf(text: string | null): number | null {
  return text !== null && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : null;
}

function textOf(id: number | null): string | null {
  return id === null ? null : String(id);
}
