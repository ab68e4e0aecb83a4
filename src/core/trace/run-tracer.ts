import { endStatusOf, type EventOf, isTerminal, type RunEndingEvent, type RunEvent } from "../event/index.ts";
import { detailsOf, usdOf } from "./details.ts";
import { ATTRIBUTES as A, OPERATIONS } from "./names.ts";
import { type NodeEvent, NodeTracer } from "./node-tracer.ts";
import { OpenSpan } from "./open-span.ts";
import type { EndedSpan, Span, SpanAddress } from "./span.ts";
import { reopenedSpanId } from "./span-id.ts";

/** The pinned data of a run that its trace needs. */
export interface RunIdentity {
  readonly runId: string;
  readonly traceId: string;
  readonly rootSpanId: string;
  readonly orgId?: string;
  /** The attempt of the parent run that started this run, or the span of the caller that requested it. */
  readonly parent?: SpanAddress;
}

/** Reads the log of a run in order and returns its spans. The same log always gives the same spans. */
export class RunTracer {
  readonly #run: RunIdentity;
  readonly #nodes = new Map<string, NodeTracer>();
  #span: OpenSpan | null = null;
  #openings = 0;
  #workflow = "";
  #at = 0;
  #ended: EndedSpan[] = [];

  constructor(run: RunIdentity) {
    this.#run = run;
  }

  record(event: RunEvent): void {
    // Clocks of replicas differ. This ensures that a span never ends before its start.
    this.#at = Math.max(this.#at, event.at);
    switch (event.type) {
      case "run.started":
        return this.#start(event);
      case "run.status.changed":
        return this.#changeStatus(event);
      case "run.ending":
        // A run may be cancelled before it has started.
        if (this.#span === null) this.#reopen(0);
        return this.#note(this.#span, event);
      case "run.finally":
      case "run.finally.ended":
      case "run.paused":
      case "run.resumed":
      case "run.rewound":
      case "run.recovered":
        return this.#note(this.#span, event);
      case "run.completed":
      case "run.failed":
      case "run.cancelled":
      case "run.timed_out":
        return this.#end(event);
      default:
        return this.#takeNodeEvent(event);
    }
  }

  /** Returns the spans that ended since the last call, in order of their ends. */
  takeEnded(): readonly EndedSpan[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** Returns the open spans, the run first. */
  openSpans(): readonly Span[] {
    const open = [this.#span, ...[...this.#nodes.values()].flatMap((node) => node.openSpans())];
    return open.flatMap((span) => (span === null ? [] : [span.snapshot()]));
  }

  #start({ payload }: EventOf<"run.started">): void {
    const { traceId, rootSpanId: spanId, parent } = this.#run;
    this.#workflow = payload.workflow;
    const isSameTrace = parent?.traceId === traceId;
    const span = this.#open(
      { traceId, spanId },
      isSameTrace ? parent.spanId : null,
      parent === undefined || isSameTrace ? [] : [parent],
    );
    span
      .set(A.version, payload.version)
      .set(A.runTrigger, payload.trigger)
      .set(A.runParent, payload.parentRunId)
      .set(A.runSource, payload.sourceRunId)
      .set(A.nodeCount, payload.nodeCount);
  }

  /** The span of a run shows its start and its end. A reopened run begins another span. */
  #changeStatus(event: EventOf<"run.status.changed">): void {
    const { from, to, epoch } = event.payload;
    if (this.#span === null) this.#reopen(epoch);
    else if (from === "queued" || isTerminal(to)) return;
    this.#note(this.#span, event);
  }

  /** Opens a span for a reopened run, linked to the first: a span reported as ended must not change. */
  #reopen(epoch: number): void {
    const { runId, traceId, rootSpanId } = this.#run;
    const spanId = reopenedSpanId(runId, this.#openings + 1);
    this.#open({ traceId, spanId }, null, [{ traceId, spanId: rootSpanId }]).set(A.runEpoch, epoch);
  }

  #open(address: SpanAddress, parentSpanId: string | null, links: readonly SpanAddress[]): OpenSpan {
    this.#openings += 1;
    const name = `${OPERATIONS.workflow} ${this.#workflow}`;
    const span = new OpenSpan({ ...address, parentSpanId, name, kind: "internal", startedAt: this.#at, links });
    this.#span = span;
    return span
      .set(A.operation, OPERATIONS.workflow)
      .set(A.workflow, this.#workflow)
      .set(A.runId, this.#run.runId)
      .set(A.organisation, this.#run.orgId);
  }

  #end(event: RunEndingEvent): void {
    const span = this.#span;
    if (span === null) return;
    const ending = { at: this.#at, eventId: event.eventId };
    // No span of a node outlasts its run, even if the log is inconsistent: it would be left without a parent.
    for (const node of this.#nodes.values()) this.#ended.push(...node.cut(ending));
    const { costMicros, errorCode, reason } = event.payload;
    const isError = event.type === "run.failed" || event.type === "run.timed_out";
    span
      .set(A.runStatus, endStatusOf(event.type))
      .set(A.cost, usdOf(costMicros))
      .set(A.reason, reason)
      .set(A.errorType, isError ? (errorCode ?? "failed") : null);
    const status = event.type === "run.completed" ? "ok" : isError ? "error" : "unset";
    this.#ended.push(span.end({ ...ending, status }));
    this.#span = null;
  }

  #takeNodeEvent(event: NodeEvent): void {
    const span = this.#span;
    if (span === null) return;
    const node = this.#nodeOf(event.payload.nodeId);
    const owner = this.#ownerOf(event.payload.nodeId)?.spanId ?? span.spanId;
    const recorded = node.record(event, this.#at, owner);
    this.#ended.push(...recorded.ended);
    if (!recorded.isTaken && AFTERWARDS.has(event.type)) this.#note(span, event);
  }

  #nodeOf(nodeId: string): NodeTracer {
    const known = this.#nodes.get(nodeId);
    if (known !== undefined) return known;
    const node = new NodeTracer(this.#run, nodeId);
    this.#nodes.set(nodeId, node);
    return node;
  }

  /** Returns the span of the node to which an instance belongs, while that span is open. */
  #ownerOf(nodeId: string): OpenSpan | undefined {
    if (!nodeId.endsWith("]")) return undefined;
    return this.#nodes.get(nodeId.slice(0, nodeId.lastIndexOf("[")))?.span;
  }

  #note(span: OpenSpan | null, event: RunEvent): void {
    const attributes = detailsOf(event);
    if (span !== null && attributes !== null) span.note({ name: event.type, at: this.#at, attributes });
  }
}

/** Events of a node that may arrive after its spans have ended. */
const AFTERWARDS: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "node.invalidated",
  "cost.recorded",
  "child.finished",
]);

/** Returns every span of a log: ended spans in order of their ends, then open spans. */
export function spansOf(run: RunIdentity, events: Iterable<RunEvent>): readonly Span[] {
  const tracer = new RunTracer(run);
  for (const event of events) tracer.record(event);
  return [...tracer.takeEnded(), ...tracer.openSpans()];
}
