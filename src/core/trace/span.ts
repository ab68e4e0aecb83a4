export type AttributeValue = string | number | boolean;
export type Attributes = ReadonlyMap<string, AttributeValue>;

export interface SpanEvent {
  readonly name: string;
  readonly at: number;
  readonly attributes: Attributes;
}

/** Where a span is, for those that refer to it. */
export interface SpanAddress {
  readonly traceId: string;
  readonly spanId: string;
}

/** One stretch of work of a run. Instants are epoch milliseconds. */
export interface Span extends SpanAddress {
  readonly parentSpanId: string | null;
  readonly name: string;
  /** `client`: a call to something outside. */
  readonly kind: "internal" | "client";
  readonly startedAt: number;
  /** Null while it lasts. */
  readonly endedAt: number | null;
  /** The event that ended it; null while it lasts. */
  readonly endEventId: number | null;
  readonly status: "unset" | "ok" | "error";
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly droppedEvents: number;
  /** What it belongs to in another trace. */
  readonly links: readonly SpanAddress[];
}

export type EndedSpan = Span & { readonly endedAt: number; readonly endEventId: number };

export function isEnded(span: Span): span is EndedSpan {
  return span.endedAt !== null && span.endEventId !== null;
}
