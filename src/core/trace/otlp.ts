import { FRACTIONS, SCHEMA_URL, SCOPE_NAME } from "./names.ts";
import type { Attributes, AttributeValue, EndedSpan } from "./span.ts";

/** The sender of spans: `service.name` and other attributes set by the operator. */
export interface Resource {
  readonly attributes: Attributes;
  readonly version: string;
}

type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number };

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** `ExportTraceServiceRequest` in OTLP's JSON form: ids in hex, instants as strings of nanoseconds, enums as numbers. */
interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly spans: readonly WireSpan[];
      readonly schemaUrl: string;
    }[];
    readonly schemaUrl: string;
  }[];
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events: readonly {
    readonly timeUnixNano: string;
    readonly name: string;
    readonly attributes: readonly KeyValue[];
  }[];
  readonly droppedEventsCount: number;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code: number };
  readonly flags: number;
}

const KINDS = { internal: 1, client: 3 } as const;
const STATUSES = { unset: 0, ok: 1, error: 2 } as const;
/** Sampled flag. Whether the parent is remote is not reported. */
const SAMPLED = 1;

export function writeExportRequest({ attributes, version }: Resource, spans: readonly EndedSpan[]): ExportRequest {
  const scope = { name: SCOPE_NAME, version };
  const scopeSpans = [{ scope, spans: spans.map(writeSpan), schemaUrl: SCHEMA_URL }];
  const resource = { attributes: writeAttributes(attributes) };
  return { resourceSpans: [{ resource, scopeSpans, schemaUrl: SCHEMA_URL }] };
}

function writeSpan(span: EndedSpan): WireSpan {
  const { traceId, spanId, parentSpanId, name, events, links } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanos(span.startedAt),
    endTimeUnixNano: nanos(span.endedAt),
    attributes: writeAttributes(span.attributes),
    events: events.map((event) => ({
      timeUnixNano: nanos(event.at),
      name: event.name,
      attributes: writeAttributes(event.attributes),
    })),
    droppedEventsCount: span.droppedEvents,
    links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    status: { code: STATUSES[span.status] },
    flags: SAMPLED,
  };
}

/** Converts milliseconds to nanoseconds as text, because a number could not hold them exactly. */
function nanos(ms: number): string {
  return `${Math.trunc(ms)}000000`;
}

function writeAttributes(attributes: Attributes): readonly KeyValue[] {
  return [...attributes].map(([key, value]) => ({ key, value: writeValue(key, value) }));
}

function writeValue(key: string, value: AttributeValue): AnyValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return FRACTIONS.has(key) || !Number.isSafeInteger(value) ? { doubleValue: value } : { intValue: String(value) };
}
