import { type EventType, type RunEvent, SETTLING_TYPES, type WaitingReason } from "../../../core/event/index.ts";

/** The cause of a span of a node's time. "gate" covers the whole time from ready until the gates allow the node. */
export type SpanKind = "dependency" | "gate" | "approval" | "pause" | "execution" | "backoff";

export interface Span {
  readonly kind: SpanKind;
  readonly from: number;
  /** Null while the span has not ended. */
  readonly to: number | null;
  readonly attempt: number | null;
  /** How the attempt ended. Null for a span that is not an attempt, or that has not ended. */
  readonly outcome: "completed" | "failed" | "timed_out" | "cancelled" | null;
}

const NO_SPANS: readonly Span[] = [];
/** The events that mark the beginning of a node. Being queued does not count, because a queued node may wait for long. */
const BEGINNINGS: ReadonlySet<EventType> = new Set<EventType>([
  "node.started",
  "node.expanded",
  "node.blocked",
  ...SETTLING_TYPES,
]);

/** The time spans of every node, built from the log one event at a time. A list of spans is replaced when it changes. */
export class Timeline {
  readonly #spans = new Map<string, readonly Span[]>();
  readonly #begun = new Map<string, number>();
  /** Start and end of the time that can be shown. */
  startedAt: number | null = null;
  lastAt: number | null = null;

  spansOf(nodeId: string): readonly Span[] {
    return this.#spans.get(nodeId) ?? NO_SPANS;
  }

  /** When a node first acted, was held for a person or was settled without either. Undefined when it has not begun. */
  begunAt(nodeId: string): number | undefined {
    return this.#begun.get(nodeId);
  }

  /** Number of nodes that have begun. The order of the rows stays the same as long as this number does. */
  get begunCount(): number {
    return this.#begun.size;
  }

  take(event: RunEvent): void {
    if (event.type === "run.started") this.startedAt = event.at;
    this.lastAt = Math.max(this.lastAt ?? event.at, event.at);
    if (!("nodeId" in event.payload)) return;
    const { nodeId } = event.payload;
    if (BEGINNINGS.has(event.type) && !this.#begun.has(nodeId)) this.#begun.set(nodeId, event.at);
    this.#follow(event, nodeId);
  }

  #follow(event: RunEvent, nodeId: string): void {
    switch (event.type) {
      case "node.queued":
        // No event marks the beginning of the wait for the parents: it began with the run.
        if (!this.#spans.has(nodeId)) this.#begin(nodeId, "dependency", this.startedAt ?? event.at);
        return this.#begin(nodeId, "gate", event.at);
      case "node.waiting":
        return this.#wait(nodeId, event.payload.waitingReason, event.at);
      case "node.blocked":
        return this.#begin(nodeId, isPause(event.payload.waitingReason) ? "pause" : "approval", event.at);
      case "node.expanded":
        return this.#begin(nodeId, "execution", event.at);
      case "node.started":
        return this.#begin(nodeId, "execution", event.at, event.payload.attempt ?? null);
      case "node.retried":
        this.#end(nodeId, event.at, "failed");
        return this.#begin(nodeId, "backoff", event.at);
      case "node.completed":
        if (event.payload.carried === true) return;
        return this.#end(nodeId, event.at, "completed");
      case "node.failed":
        return this.#end(nodeId, event.at, "failed");
      case "node.timed_out":
        return this.#end(nodeId, event.at, "timed_out");
      case "node.cancelled":
        return this.#end(nodeId, event.at, "cancelled");
      case "node.skipped":
      case "node.invalidated":
        return this.#end(nodeId, event.at, null);
      default:
    }
  }

  #wait(nodeId: string, reason: string, at: number): void {
    const now = this.spansOf(nodeId).at(-1);
    // An attempt that waits for its callback is still executing.
    if (reason === "external_callback" || (now?.kind === "execution" && now.to === null)) return;
    if (reason === "dependency") return this.#begin(nodeId, "dependency", at);
    if (now?.kind !== "gate" || now.to !== null) this.#begin(nodeId, "gate", at);
  }

  #begin(nodeId: string, kind: SpanKind, from: number, attempt: number | null = null): void {
    const spans = closed(this.spansOf(nodeId), from, null);
    this.#spans.set(nodeId, [...spans, { kind, from, to: null, attempt, outcome: null }]);
  }

  #end(nodeId: string, at: number, outcome: Span["outcome"]): void {
    this.#spans.set(nodeId, closed(this.spansOf(nodeId), at, outcome));
  }
}

/** Checks whether the node waits for a time, an event or a run, which needs no person. */
function isPause(reason: WaitingReason): boolean {
  return reason === "timer" || reason === "event" || reason === "child";
}

/** Returns the list with its last span ended. A wait that took no time is left out. */
function closed(spans: readonly Span[], at: number, outcome: Span["outcome"]): readonly Span[] {
  const last = spans.at(-1);
  if (last === undefined || last.to !== null) return spans;
  const before = spans.slice(0, -1);
  if (last.kind !== "execution" && last.from === at) return before;
  return [...before, { ...last, to: at, outcome: last.kind === "execution" ? outcome : null }];
}

export interface SpanTotals {
  readonly waitedMs: number;
  readonly workedMs: number;
}

/** Returns how long a node waited (for other nodes, gates and people) and how long it worked. */
export function totalsOf(spans: readonly Span[], now: number): SpanTotals {
  let waitedMs = 0;
  let workedMs = 0;
  for (const { kind, from, to } of spans) {
    const ms = Math.max(0, (to ?? now) - from);
    if (kind === "execution") workedMs += ms;
    else waitedMs += ms;
  }
  return { waitedMs, workedMs };
}
