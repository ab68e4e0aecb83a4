import type { SpanAddress } from "./span.ts";

const FNV_PRIME = 0x01000193;
const FNV_BASIS = 0x811c9dc5;
/** Odd and far from the prime, so that texts that collide in one half differ in the other. */
const OTHER_FACTOR = 0x9e3779b1;

/**
 * Ids are derived from what they identify. So all replicas give a span the same id, nothing has to be stored, and a span that
 * is sent twice is the same span. Two 32-bit halves without cryptography: ids are computed for every dispatch and only have to
 * differ within their trace.
 */
function spanIdOf(text: string): string {
  let high = FNV_BASIS;
  let low = ~FNV_BASIS;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, FNV_PRIME);
    low = Math.imul(low ^ unit, OTHER_FACTOR);
    low ^= low >>> 15;
  }
  const id = hexOf(mix(high)) + hexOf(mix(low));
  // All zeros means "none" in the protocol.
  return id === NONE ? `${NONE.slice(1)}1` : id;
}

const NONE = "0".repeat(16);

/** Spreads the effect of the last characters over all bits. */
function mix(half: number): number {
  let bits = half;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

function hexOf(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, "0");
}

/** Returns the span id of an attempt, derived from its dispatch id. */
export function attemptSpanId(dispatchId: string): string {
  return spanIdOf(dispatchId);
}

/** Returns the span id of a node. A node that is invalidated and runs again gets another span: `life` counts from 1. */
export function nodeSpanId(runId: string, nodeId: string, life: number): string {
  return spanIdOf(`node ${life} ${runId}/${nodeId}`);
}

/** Returns the span id of a model call in an agent's turn. */
export function roundSpanId(runId: string, nodeId: string, life: number, round: number): string {
  return spanIdOf(`round ${life}/${round} ${runId}/${nodeId}`);
}

/** Returns the span id of a tool call in an agent's turn. */
export function callSpanId(callId: string): string {
  return spanIdOf(`call ${callId}`);
}

/** Returns the span id for a reopened run. The id of its first span is pinned with the run. */
export function reopenedSpanId(runId: string, opening: number): string {
  return spanIdOf(`run ${opening} ${runId}`);
}

/** Formats an address in the notation of W3C Trace Context: version 00, sampled. */
export function writeTraceparent({ traceId, spanId }: SpanAddress): string {
  return `00-${traceId}-${spanId}-01`;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/u;

/** Parses a traceparent. Null when it is invalid. A later version may have more fields at the end, which are ignored. */
export function readTraceparent(text: string): SpanAddress | null {
  const [, version, traceId, spanId, rest] = TRACEPARENT.exec(text.trim()) ?? [];
  if (traceId === undefined || spanId === undefined || version === "ff") return null;
  if (version === "00" && rest !== undefined) return null;
  return /^0+$/u.test(traceId) || /^0+$/u.test(spanId) ? null : { traceId, spanId };
}
