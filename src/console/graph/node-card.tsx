import { type JSX, useMemo } from "react";
import { plainText } from "../../core/text/index.ts";
import { isUpstreamFailure, type NodeView } from "../../core/view/index.ts";
import { Link } from "../page/router.tsx";
import { dollars, spanText } from "../parts/figures.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { lookOf, nodeLook, StatusIcon } from "../parts/status.tsx";
import { useNow } from "../parts/ticker.ts";
import { useGraph, useIs, useNode, useNodesValue } from "./graph-context.ts";
import { BlockFrame } from "./block-frame.tsx";
import { Port, ProblemMark } from "./card-editing.tsx";
import { useIsPicked } from "./graph-editing.ts";
import type { GraphNode } from "./graph-node.ts";
import { insideKey } from "./inside.ts";
import { InstanceCount } from "./instance-count.tsx";

const KINDS: Readonly<Record<string, { readonly icon: IconName; readonly label: string }>> = {
  agent: { icon: "run", label: "agent" },
  gate: { icon: "approval", label: "gate" },
  child: { icon: "workflow", label: "child run" },
  lens: { icon: "search", label: "lens" },
  utility: { icon: "settings", label: "utility" },
  set: { icon: "filter", label: "set" },
  script: { icon: "settings", label: "script" },
  function: { icon: "settings", label: "function" },
  end: { icon: "stop", label: "end" },
  block: { icon: "workflow", label: "block" },
  choose: { icon: "compare", label: "choose" },
  http: { icon: "external", label: "HTTP request" },
  process: { icon: "right", label: "command" },
  tool: { icon: "gateway", label: "tool" },
  each: { icon: "menu", label: "for each" },
  wait: { icon: "clock", label: "wait" },
  emit: { icon: "trend", label: "emit event" },
  library: { icon: "copy", label: "library step" },
  branch: { icon: "right", label: "branch" },
  finally: { icon: "skip", label: "runs last" },
};

export interface NodeCardProps {
  readonly id: string;
  /** The node of the plan, also for an instance of it. Undefined for a node that is known only from the run. */
  readonly node: GraphNode | undefined;
  readonly instances: readonly string[];
}

/** Card of a node on the canvas: its status, its name, and the most important fact about it. */
export function NodeCard({ id, node, instances }: NodeCardProps): JSX.Element {
  const view = useNode(id);
  const { selected, cursor, frames, at, drag } = useGraph();
  const key = at === null ? id : insideKey(at, id);
  const frame = frames.get(key);
  const isSelected = useIs(selected, key);
  const isPicked = useIsPicked(key);
  const isCursor = useIs(cursor, id);
  const kind = kindOf(node);
  const title = plainText(view?.title ?? node?.label ?? id);
  const tone = view === undefined ? "idle" : lookOf(nodeLook(view)).tone;
  return (
    <div
      className={`graph-card graph-${tone} ${instances.length > 0 ? "is-stack" : ""} ${frame === undefined ? "" : "is-frame"} ${isSelected || isPicked ? "is-selected" : ""} ${node?.kind === "branch" ? "is-branch" : ""} ${isCursor ? "is-cursor" : ""}`}
      data-node={id}
      data-key={key}
      data-kind={view === undefined ? (node?.icon ?? node?.kind) : undefined}
      data-status={view?.status}
    >
      <div className="graph-card-head">
        {view === undefined ? <Icon name={kind.icon} size={15} /> : <StatusIcon status={nodeLook(view)} />}
        <span className="graph-card-name cut" title={title}>
          {title}
        </span>
        {instances.length > 0 && <InstanceCount id={id} instances={instances} />}
        <ProblemMark id={key} />
        <BlockToggle id={id} isOpen={frame !== undefined} />
        {view !== undefined && view.childRunId !== null && <ChildLink runId={view.childRunId} />}
      </div>
      <div className="graph-card-line cut">
        {view === undefined ? kind.label : <Standing view={view} kind={kind.label} />}
      </div>
      {frame !== undefined && <BlockFrame frame={frame} at={key} />}
      <Port id={key} drag={drag} />
    </div>
  );
}

function kindOf(node: GraphNode | undefined): { readonly icon: IconName; readonly label: string } {
  const named = KINDS[node?.icon ?? node?.kind ?? "agent"];
  if (node === undefined || named === undefined) return { icon: "run", label: node?.kind ?? "node" };
  return { icon: named.icon, label: KINDS[node.kind]?.label ?? node.kind };
}

/** Button that shows or hides the steps inside a node. */
function BlockToggle({ id, isOpen }: { readonly id: string; readonly isOpen: boolean }): JSX.Element | null {
  const { onToggle } = useGraph();
  const ids = useMemo(() => [id], [id]);
  const hasBlock = useNodesValue(ids, (source) => Number(source.hasBlock(id))) === 1;
  if (!hasBlock) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      className="graph-count nodrag"
      aria-expanded={isOpen}
      title={isOpen ? "Hide the steps inside" : "Show the steps inside"}
      onClick={(event) => {
        event.stopPropagation();
        onToggle(id);
      }}
    >
      <span className="graph-count-word">steps</span>
      <Icon name={isOpen ? "down" : "right"} size={11} />
    </button>
  );
}

/** Link to the child run for the mouse. With the keyboard, the link in the panel of the node is used. */
function ChildLink({ runId }: { readonly runId: string }): JSX.Element {
  return (
    <span className="graph-child nodrag" onClick={(event) => event.stopPropagation()}>
      <Link to={`/runs/${encodeURIComponent(runId)}`} title={`Open the child run ${runId}`} tabIndex={-1}>
        <Icon name="external" size={13} />
        <span className="hidden-text">Open the child run</span>
      </Link>
    </span>
  );
}

function Standing({ view, kind }: { readonly view: NodeView; readonly kind: string }): JSX.Element {
  switch (view.status) {
    case "running":
    case "streaming":
      return <Running view={view} kind={kind} />;
    case "failed":
    case "timed_out":
    case "retrying":
      if (isUpstreamFailure(view)) return <>not run · upstream failed</>;
      if (view.isHandled) return <>{joined("handled", view.errorCode)}</>;
      return <>{view.errorCode ?? lookOf(view.status).label}</>;
    case "blocked":
      if (view.waitingReason === "timer" || view.waitingReason === "event")
        return <>{view.waitingReason === "timer" ? "waits for its time" : "waits for an event"}</>;
      return <>{view.missing.length > 0 ? "needs values" : "waits for a person"}</>;
    case "completed":
      if (view.isCarried) return <>carried over</>;
      return <>{joined(failedOf(view), view.model ?? kind, spanOf(view.durationMs), costOf(view.costMicros))}</>;
    case "skipped":
      return <>{view.errorCode ?? view.waitingReason?.replaceAll("_", " ") ?? "skipped"}</>;
    case "pending":
    case "awaiting_dependency":
    case "queued":
    case "cancelled":
    case "invalidated":
      return <>{joined(kind, lookOf(view.status).label.toLowerCase())}</>;
  }
}

function Running({ view, kind }: { readonly view: NodeView; readonly kind: string }): JSX.Element {
  const tick = useNow();
  const ids = useMemo(() => [view.id], [view.id]);
  const now = useNodesValue(ids, ({ shownAt }) => shownAt() ?? 0) || tick;
  const span = view.startedAt === null ? null : spanText(Math.max(0, now - view.startedAt));
  return (
    <span className="num">
      {joined(failedOf(view), view.model ?? kind, span, view.attempts > 1 ? `attempt ${view.attempts}` : null)}
    </span>
  );
}

function failedOf({ failedInstances }: NodeView): string | null {
  return failedInstances === 0 ? null : `${failedInstances} failed`;
}

function spanOf(ms: number | null): string | null {
  return ms === null ? null : spanText(ms);
}

function costOf(micros: number): string | null {
  return micros === 0 ? null : dollars(micros);
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join(" · ");
}
