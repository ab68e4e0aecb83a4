import { isSettled, type RunEvent } from "../../../core/event/index.ts";
import type { ApprovalView, NodeView } from "../../../core/view/index.ts";
import { words } from "./event-text.ts";

/** Details of a wait from its newest event that the view does not store. */
export interface WaitNote {
  readonly until: number | null;
  readonly queuePosition: number | null;
  readonly code: string | null;
  readonly nextAttempt: number | null;
}

export function waitNoteOf(event: RunEvent): WaitNote | null {
  switch (event.type) {
    case "node.queued":
    case "node.waiting": {
      const { until = null, queuePosition = null } = event.payload;
      const code = event.type === "node.waiting" ? (event.payload.code ?? null) : null;
      return { until, queuePosition, code, nextAttempt: null };
    }
    case "node.retried": {
      const { until, nextAttempt } = event.payload;
      return { until, queuePosition: null, code: null, nextAttempt };
    }
    case "node.blocked": {
      const { until = null, code, event: awaited } = event.payload;
      return { until, queuePosition: null, code: code ?? awaited?.type ?? null, nextAttempt: null };
    }
    default:
      return null;
  }
}

export interface WaitingFacts {
  readonly node: NodeView;
  readonly parents: readonly NodeView[];
  readonly instances: readonly NodeView[];
  readonly note: WaitNote | null;
  readonly approval: ApprovalView | null;
}

export interface Waiting {
  readonly text: string;
  /** When the wait ends by itself, in epoch milliseconds. */
  readonly until: number | null;
  /** Whether a person has to act. */
  readonly needsPerson: boolean;
  /** Nodes that explain the wait. */
  readonly nodeIds: readonly string[];
}

/** Returns in one line why a node does not proceed. Null when it proceeds or has ended. */
export function waitingOf(facts: WaitingFacts): Waiting | null {
  const { node, note } = facts;
  const until = note?.until ?? null;
  switch (node.status) {
    case "pending":
    case "awaiting_dependency":
    case "invalidated":
      return forParents(facts);
    case "queued":
      return line(queuedText(node, note), { until });
    case "retrying": {
      const next = note?.nextAttempt ?? node.attempts + 1;
      const why = node.errorCode === null ? "" : ` after ${node.errorCode}`;
      return line(`Attempt ${next} begins when the pause${why} is over`, { until });
    }
    case "blocked":
      return whileBlocked(facts, until);
    case "running":
    case "streaming":
      return whileRunning(facts);
    case "completed":
    case "failed":
    case "skipped":
    case "cancelled":
    case "timed_out":
      return null;
  }
}

function line(text: string, more: Partial<Waiting> = {}): Waiting {
  return { text, until: null, needsPerson: false, nodeIds: [], ...more };
}

function forParents({ node, parents }: WaitingFacts): Waiting {
  if (node.waitingReason === "concurrency")
    return line("Waits with its run until another run of the same key has ended");
  const open = parents.filter(({ status }) => !isSettled(status)).map(({ id }) => id);
  if (open.length === 0) return line("Will be checked next");
  return line(`Waits for ${listed(open)}`, { nodeIds: open });
}

function queuedText({ waitingReason }: NodeView, note: WaitNote | null): string {
  const place = note?.queuePosition ?? null;
  const where = place === null ? "" : `, place ${place} in line`;
  const code = note?.code ?? null;
  if (waitingReason === "rate_limit") return `Waits for the rate limit${where}`;
  if (code !== null) return `Waits because of ${words(code)}${where}`;
  return `Waits for its turn${where}`;
}

/** A blocked node may wait for a time or an event. Then no person has to act. */
function whileBlocked(facts: WaitingFacts, until: number | null): Waiting {
  const { node, note } = facts;
  if (node.waitingReason === "timer") return line("Waits until", { until });
  if (node.waitingReason !== "event") return forPerson(facts);
  const what = awaitedText(note?.code ?? "");
  return until === null ? line(`Waits for ${what}`) : line(`Waits for ${what}, at most until`, { until });
}

function awaitedText(type: string): string {
  if (type === "") return "an event";
  return type.startsWith("signal:") ? `the signal ${type.slice("signal:".length)}` : `the event ${type}`;
}

function forPerson({ node, approval, note }: WaitingFacts): Waiting {
  if (node.missing.length > 0) return line(`Needs values for ${listed(node.missing)}`, { needsPerson: true });
  if (approval !== null && approval.status === "pending") {
    const asked = approval.approvers.slice(0, approval.hop + 1);
    const who = asked.length === 0 ? "anyone who may approve" : asked.join(" or ");
    return line(`Held: ${approval.summary}. Waits for ${who}. Expires`, {
      until: approval.expiresAt,
      needsPerson: true,
    });
  }
  const code = note?.code ?? node.errorCode;
  return line(code === null ? "Waits for a person" : `Waits for a person: ${words(code)}`, { needsPerson: true });
}

function whileRunning({ node, instances }: WaitingFacts): Waiting | null {
  if (node.isExpanded) {
    const settled = instances.filter(({ status }) => isSettled(status)).length;
    return line(`Waits for its instances: ${settled} of ${instances.length} done`);
  }
  if (node.childRunId !== null) return line("Waits for the steps inside, or for its child run");
  if (node.waitingReason === "external_callback") return line("Dispatched; waits for its callback");
  return null;
}

const LISTED_MAX = 3;

export function listed(ids: readonly string[]): string {
  if (ids.length <= 1) return ids.join("");
  const shown = ids.slice(0, LISTED_MAX);
  const rest = ids.length - shown.length;
  const last = rest > 0 ? `${rest} more` : (shown.pop() ?? "");
  return `${shown.join(", ")} and ${last}`;
}
