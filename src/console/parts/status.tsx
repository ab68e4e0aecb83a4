import type { JSX } from "react";
import type { ApprovalStatus, NodeStatus, RunStatus, WaitingReason } from "../../core/event/index.ts";
import { isUpstreamFailure } from "../../core/view/index.ts";
import { Icon, type IconName } from "./icon.tsx";
import "./status.css";

export type Tone = "ok" | "bad" | "warn" | "info" | "hold" | "idle";
export type AnyStatus =
  | RunStatus
  | NodeStatus
  | ApprovalStatus
  | "active"
  | "paused"
  | "deprecated"
  | "healthy"
  | "degraded"
  | "offline"
  | "unknown"
  | "allow"
  | "block"
  | "hold"
  /** A node that did not run because an earlier node failed. */
  | "upstream_failure"
  /** A `for_each` node that tolerated the failure of some instances. */
  | "partly_failed"
  /** A node that failed, which another step has handled. */
  | "handled"
  /** A node that waits for a moment, or for an event: no person has to act. */
  | "waiting_time"
  | "waiting_event";

export type NodeLook = NodeStatus | "upstream_failure" | "partly_failed" | "handled" | "waiting_time" | "waiting_event";

interface LookedAt {
  readonly status: NodeStatus;
  readonly errorCode: string | null;
  readonly failedInstances?: number;
  readonly isHandled?: boolean;
  readonly waitingReason?: WaitingReason | null;
}

interface Look {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly label: string;
  readonly isMoving?: boolean;
}

const LOOKS: Readonly<Record<AnyStatus, Look>> = {
  pending: { tone: "idle", icon: "ring", label: "Pending" },
  awaiting_dependency: { tone: "idle", icon: "clock", label: "Waiting for nodes" },
  queued: { tone: "idle", icon: "clock", label: "Queued" },
  running: { tone: "info", icon: "spin", label: "Running", isMoving: true },
  streaming: { tone: "info", icon: "spin", label: "Streaming", isMoving: true },
  retrying: { tone: "warn", icon: "redo", label: "Retrying" },
  recovered: { tone: "warn", icon: "redo", label: "Recovered" },
  blocked: { tone: "hold", icon: "pause", label: "Waiting for a person" },
  completed: { tone: "ok", icon: "check", label: "Completed" },
  failed: { tone: "bad", icon: "cross", label: "Failed" },
  skipped: { tone: "idle", icon: "skip", label: "Skipped" },
  cancelled: { tone: "idle", icon: "stop", label: "Cancelled" },
  timed_out: { tone: "bad", icon: "clock", label: "Timed out" },
  invalidated: { tone: "warn", icon: "undo", label: "Invalidated" },
  approved: { tone: "ok", icon: "check", label: "Approved" },
  rejected: { tone: "bad", icon: "cross", label: "Rejected" },
  expired: { tone: "warn", icon: "clock", label: "Expired" },
  active: { tone: "ok", icon: "check", label: "Active" },
  paused: { tone: "warn", icon: "pause", label: "Paused" },
  deprecated: { tone: "idle", icon: "stop", label: "Deprecated" },
  healthy: { tone: "ok", icon: "check", label: "Healthy" },
  degraded: { tone: "warn", icon: "warn", label: "Degraded" },
  offline: { tone: "bad", icon: "cross", label: "Offline" },
  unknown: { tone: "idle", icon: "ring", label: "Not asked yet" },
  allow: { tone: "ok", icon: "check", label: "Allow" },
  block: { tone: "bad", icon: "cross", label: "Block" },
  hold: { tone: "hold", icon: "pause", label: "Hold" },
  upstream_failure: { tone: "idle", icon: "skip", label: "Not run" },
  partly_failed: { tone: "warn", icon: "warn", label: "Completed with failures" },
  handled: { tone: "warn", icon: "warn", label: "Handled" },
  waiting_time: { tone: "idle", icon: "clock", label: "Waiting for a time" },
  waiting_event: { tone: "idle", icon: "clock", label: "Waiting for an event" },
};

export function lookOf(status: AnyStatus): Look {
  return LOOKS[status];
}

/** Returns the look of a node. A node that did not run because of a failure does not look failed, and failed instances are visible. */
export function nodeLook(node: LookedAt): NodeLook {
  if (isUpstreamFailure(node)) return "upstream_failure";
  if (node.isHandled === true) return "handled";
  if (node.status === "blocked" && node.waitingReason === "timer") return "waiting_time";
  if (node.status === "blocked" && node.waitingReason === "event") return "waiting_event";
  return node.status === "completed" && (node.failedInstances ?? 0) > 0 ? "partly_failed" : node.status;
}

/** Shows a status as icon, text and colour together, so that none of them is needed alone. */
export function StatusBadge({
  status,
  label,
}: {
  readonly status: AnyStatus;
  readonly label?: string | undefined;
}): JSX.Element {
  const look = LOOKS[status];
  return (
    <span className={`badge tone-${look.tone}`} data-status={status}>
      <Icon name={look.icon} size={13} {...(look.isMoving === true ? { className: "spinning" } : {})} />
      <span className="badge-text">{label ?? look.label}</span>
    </span>
  );
}

/** Shows only the icon of a status where space is limited. Screen readers still get its text. */
export function StatusIcon({ status, size = 15 }: { readonly status: AnyStatus; readonly size?: number }): JSX.Element {
  const look = LOOKS[status];
  return (
    <span className={`status-icon text-${look.tone}`} title={look.label} data-status={status}>
      <Icon name={look.icon} size={size} {...(look.isMoving === true ? { className: "spinning" } : {})} />
      <span className="hidden-text">{look.label}</span>
    </span>
  );
}

/** A word in a box, for facts other than a status. */
export function Badge({
  tone = "idle",
  children,
}: {
  readonly tone?: Tone;
  readonly children: string | number;
}): JSX.Element {
  return <span className={`badge tone-${tone}`}>{children}</span>;
}
