import { EVENT_PAYLOADS, isSettled, type NodeStatus, type RunEvent } from "../../../src/core/event/index.ts";
import type { NodeFacts, RunFacts } from "../world/facts.ts";
import { statusAfter } from "../world/status-after.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

const FROM_FLIGHT: readonly NodeStatus[] = [
  "streaming",
  "completed",
  "failed",
  "timed_out",
  "retrying",
  "skipped",
  "blocked",
  "cancelled",
];

/** The published table of moves. */
const TABLE: Readonly<Record<NodeStatus, readonly NodeStatus[]>> = {
  // An instance waits as pending for its turn, so that cancel and halt meet it there.
  pending: ["awaiting_dependency", "queued", "skipped", "cancelled"],
  awaiting_dependency: ["queued", "skipped", "failed", "blocked", "cancelled"],
  queued: ["running", "blocked", "retrying", "failed", "skipped", "cancelled"],
  running: FROM_FLIGHT,
  streaming: FROM_FLIGHT,
  // A race is lost in any status.
  retrying: ["queued", "cancelled", "skipped"],
  blocked: ["queued", "completed", "failed", "skipped", "cancelled"],
  completed: ["invalidated"],
  failed: ["invalidated"],
  skipped: ["invalidated"],
  cancelled: ["invalidated"],
  timed_out: ["invalidated"],
  invalidated: ["queued", "awaiting_dependency"],
};

/** Nodes move only as the table says. */
export function movesAreInTable(): Checker {
  return {
    id: "table",
    beforeEvent({ facts, node, event }: Seen): void {
      if (node === undefined) return;
      const from = node.status;
      const to = statusAfter(event, from);
      if (to === null || (from === to && from !== "running")) return;
      const isCarried = "carried" in event.payload && event.payload.carried === true;
      const isMove =
        mayMove(facts, node, to) ||
        isHaltedBelow(facts, node, event) ||
        isContinued(node, event) ||
        isRefused(node, event);
      if (isCarried ? !isSettled(from) : isMove) return;
      throw new Violation("table", facts.runId, `event ${event.eventId}: ${node.id} went from ${from} to ${to}`);
    },
  };
}

function mayMove(facts: RunFacts, node: NodeFacts, to: NodeStatus): boolean {
  if (TABLE[node.status].includes(to)) return true;
  // What only calculates is not in flight before it is done.
  if (node.status === "queued" && to === "completed") return ["set", "end", "emit"].includes(node.plan.kind);
  // What is decided anew after a rewind may also turn out skipped or failed; it passes through no other status.
  const isDecidedAnew = node.status === "invalidated" && (to === "skipped" || to === "failed" || to === "cancelled");
  // A root whose condition cannot be evaluated fails before it was ever queued.
  return isDecidedAnew || (node.status === "pending" && to === "failed" && facts.lastEventId > 0);
}

/** What waits below a failure that halts the run fails with it, also in a backoff: a join may begin before all its parents. */
function isHaltedBelow({ ending }: RunFacts, { status }: NodeFacts, event: RunEvent): boolean {
  if (status !== "retrying" || ending !== "failed" || event.type !== "node.failed") return false;
  return event.payload.errorCode === "upstream_failure";
}

/** The turn of an agent whose execution was lost is continued by another. */
function isContinued({ status }: NodeFacts, event: RunEvent): boolean {
  return (
    (status === "running" || status === "streaming") &&
    event.type === "node.queued" &&
    event.payload.segment !== undefined
  );
}

/** A person refuses a call, or does not answer, while its agent waits for another attempt. */
function isRefused({ status }: NodeFacts, event: RunEvent): boolean {
  if (status !== "retrying" || (event.type !== "node.failed" && event.type !== "node.blocked")) return false;
  return event.payload.errorCode === "approval_expired" || event.payload.errorCode === "approval_rejected";
}

/** Every event has the payload its type promises. Sampled: schemas are slow, and shapes do not depend on luck. */
export function payloadsFit(_around: unknown, seed: number): Checker {
  const isSampled = seed % 32 === 0;
  return {
    id: "schema",
    beforeEvent({ facts, event }: Seen): void {
      if (!isSampled) return;
      const checked = EVENT_PAYLOADS[event.type].safeParse(event.payload);
      if (checked.success) return;
      const [issue] = checked.error.issues;
      const where = `${event.type} ${issue?.path.join(".")}`;
      throw new Violation("schema", facts.runId, `event ${event.eventId} ${where}: ${issue?.message}`);
    },
  };
}
