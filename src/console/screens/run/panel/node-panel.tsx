import { type JSX, useEffect, useState } from "react";
import type { TurnView } from "../../../../client/index.ts";
import { plainText } from "../../../../core/text/index.ts";
import { api } from "../../../live/api.ts";
import { useMay } from "../../../live/session-store.ts";
import { useQuery } from "../../../live/use-query.ts";
import { Button } from "../../../parts/button.tsx";
import { ProblemView } from "../../../parts/problem-view.tsx";
import { lookOf, nodeLook, StatusBadge } from "../../../parts/status.tsx";
import { Tabs } from "../../../parts/tabs.tsx";
import { useRequestAction } from "../run-action.ts";
import { useNodeView } from "../../../run/nodes-page.ts";
import { useRunPage } from "../run-page.ts";
import { AttemptsTab } from "./attempts-tab.tsx";
import { LineageTab } from "./lineage-tab.tsx";
import { LogsTab } from "./logs-tab.tsx";
import { detailAt, type DetailedNode, readDetail } from "../../../run/model/node-detail.ts";
import { OverviewTab } from "./overview-tab.tsx";
import { PromptTab } from "./prompt-tab.tsx";
import { ResultTab } from "./result-tab.tsx";
import { ConversationTab, hasConversation } from "./conversation/conversation-tab.tsx";
import "./node-panel.css";

/** Details of one node. Live state comes from the run, the rest is read from the server when the node changes. */
export function NodePanel({ nodeId }: { readonly nodeId: string }): JSX.Element {
  const { run, feed, selectNode } = useRunPage();
  const request = useRequestAction();
  const mayExecute = useMay("workflow:execute");
  const node = useNodeView(nodeId);
  const [tab, setTab] = useState("overview");
  const stamp = `${node?.status ?? ""} ${node?.attempts ?? 0}`;
  const detail = useDetail(run.id, nodeId, stamp);
  const turn = useTurn(run.id, nodeId, `${stamp} ${node?.costMicros ?? 0}`, node?.status === "running").data;
  if (node === undefined) {
    return (
      <aside className="node-panel" aria-label={`Node ${nodeId}`}>
        <div className="node-panel-head">
          <h2>{nodeId}</h2>
          <Button kind="quiet" size="small" icon="cross" label="Close the node" onClick={() => selectNode(null)} />
        </div>
        <p className="node-panel-body muted">This run has no node of that name at this point.</p>
      </aside>
    );
  }
  const { pinnedAt } = feed;
  const title = plainText(node.title);
  const shown = detail.data === undefined || pinnedAt === null ? detail.data : detailAt(detail.data, node, pinnedAt);
  return (
    <aside className="node-panel" aria-label={`Node ${title}`}>
      <div className="node-panel-head">
        <h2 className="cut" title={title}>
          {title}
        </h2>
        <StatusBadge
          status={nodeLook(node)}
          {...(node.failedInstances === 0
            ? {}
            : { label: `${lookOf(node.status).label}, ${node.failedInstances} failed` })}
        />
        <span className="node-panel-actions">
          {mayExecute && (
            <Button
              kind="quiet"
              size="small"
              icon="redo"
              label={`Restart from ${nodeId}`}
              onClick={() => request({ kind: "restart", fromNode: node.instance?.parent ?? nodeId })}
            />
          )}
          <Button kind="quiet" size="small" icon="cross" label="Close the node" onClick={() => selectNode(null)} />
        </span>
      </div>
      <Tabs
        label="About the node"
        tabs={hasConversation({ turn, detail: shown }) ? WITH_CONVERSATION : TABS}
        selected={tab}
        onSelect={setTab}
      >
        <div className="node-panel-body">
          {detail.problem !== null && <ProblemView problem={detail.problem} onRetry={() => void detail.refresh()} />}
          <TabContent tab={tab} nodeId={nodeId} detail={shown} turn={turn} />
        </div>
      </Tabs>
    </aside>
  );
}

const TABS = [
  { id: "overview", label: "Overview" },
  { id: "prompt", label: "Prompt" },
  { id: "result", label: "Result" },
  { id: "attempts", label: "Attempts" },
  { id: "logs", label: "Logs" },
  { id: "lineage", label: "Lineage" },
];

const WITH_CONVERSATION = TABS.toSpliced(1, 0, { id: "conversation", label: "Conversation" });

interface TabContentProps {
  readonly tab: string;
  readonly nodeId: string;
  readonly detail: DetailedNode | undefined;
  readonly turn: TurnView | undefined;
}

function TabContent({ tab, nodeId, detail, turn }: TabContentProps): JSX.Element {
  switch (tab) {
    case "conversation":
      return <ConversationTab turn={turn} detail={detail} />;
    case "prompt":
      return <PromptTab nodeId={nodeId} detail={detail} turn={turn} />;
    case "result":
      return <ResultTab nodeId={nodeId} detail={detail} />;
    case "attempts":
      return <AttemptsTab nodeId={nodeId} detail={detail} />;
    case "logs":
      return <LogsTab nodeId={nodeId} detail={detail} />;
    case "lineage":
      return <LineageTab nodeId={nodeId} />;
    default:
      return <OverviewTab nodeId={nodeId} detail={detail} />;
  }
}

/** Reads the details when the node changes, not at every event of the run, because searching a long log is expensive. */
function useDetail(runId: string, nodeId: string, stamp: string) {
  const query = useQuery<DetailedNode>(`node ${runId} ${nodeId}`, async () =>
    readDetail(await api.getNode(runId, nodeId)),
  );
  useRefreshed(query.refresh, stamp);
  return query;
}

const TURN_READ_MS = 2_000;

/** Reads the turn. Results of calls change nothing else of the node, so a running turn is also read at intervals. */
function useTurn(runId: string, nodeId: string, stamp: string, isRunning: boolean) {
  const options = isRunning ? { everyMs: TURN_READ_MS } : {};
  const query = useQuery<TurnView>(`turn ${runId} ${nodeId}`, () => api.getTurn(runId, nodeId), options);
  useRefreshed(query.refresh, stamp);
  return query;
}

function useRefreshed(refresh: () => Promise<void>, stamp: string): void {
  const [seen, setSeen] = useState(stamp);
  useEffect(() => {
    if (seen === stamp) return;
    setSeen(stamp);
    void refresh();
  }, [seen, stamp, refresh]);
}
