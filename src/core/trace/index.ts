export { type Resource, writeExportRequest } from "./otlp.ts";
export { type RunIdentity, RunTracer } from "./run-tracer.ts";
export type { EndedSpan, SpanAddress } from "./span.ts";
export { attemptSpanId, readTraceparent, writeTraceparent } from "./span-id.ts";
