export type AttributeValue = string | number | boolean;
export type Attributes = ReadonlyMap<string, AttributeValue>;

export interface SpanEvent {
  readonly name: string;
  readonly at: number;
  readonly attributes: Attributes;
}

/** Identifies a span for other spans that refer to it. */
export interface SpanAddress {
  readonly traceId: string;
  readonly spanId: string;
}

/** One period of work of a run. Instants are epoch milliseconds. */
export interface Span extends SpanAddress {
  readonly parentSpanId: string | null;
  readonly name: string;
  /** `client` is a call to an external system. */
  readonly kind: "internal" | "client";
  readonly startedAt: number;
  /** Null while the span is open. */
  readonly endedAt: number | null;
  /** The event that ended the span. Null while the span is open. */
  readonly endEventId: number | null;
  readonly status: "unset" | "ok" | "error";
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly droppedEvents: number;
  /** Related spans in other traces. */
  readonly links: readonly SpanAddress[];
}

export type EndedSpan = Span & { readonly endedAt: number; readonly endEventId: number };

export function isEnded(span: Span): span is EndedSpan {
  return span.endedAt !== null && span.endEventId !== null;
}
