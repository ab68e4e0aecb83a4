import type { SpanAddress } from "./span.ts";

const FNV_PRIME = 0x01000193;
const FNV_BASIS = 0x811c9dc5;
/** Odd, and far from the prime: what falls together in one half does not in the other. */
const OTHER_FACTOR = 0x9e3779b1;

/**
 * Ids follow from what they name, so that every replica names a span the same, nothing has to be kept, and a span that
 * is sent twice is the same span. Two halves of 32 bits, no cryptography: every dispatch has one, and all it must be is
 * unlike the others of its trace.
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
  // All zeros means "none" on the wire.
  return id === NONE ? `${NONE.slice(1)}1` : id;
}

const NONE = "0".repeat(16);

/** Spreads what the last characters have changed over all bits. */
function mix(half: number): number {
  let bits = half;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

function hexOf(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, "0");
}

/** The span of an attempt, from the id its dispatch carries. */
export function attemptSpanId(dispatchId: string): string {
  return spanIdOf(dispatchId);
}

/** A node that is taken back and runs again gets another span: `life` counts from 1. */
export function nodeSpanId(runId: string, nodeId: string, life: number): string {
  return spanIdOf(`node ${life} ${runId}/${nodeId}`);
}

/** A model call of an agent's turn. */
export function roundSpanId(runId: string, nodeId: string, life: number, round: number): string {
  return spanIdOf(`round ${life}/${round} ${runId}/${nodeId}`);
}

/** A tool call of an agent's turn. */
export function callSpanId(callId: string): string {
  return spanIdOf(`call ${callId}`);
}

/** A run that is opened again gets another span; its first one is pinned with the run. */
export function reopenedSpanId(runId: string, opening: number): string {
  return spanIdOf(`run ${opening} ${runId}`);
}

/** As W3C Trace Context writes it: version 00, sampled. */
export function writeTraceparent({ traceId, spanId }: SpanAddress): string {
  return `00-${traceId}-${spanId}-01`;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/u;

/** Null for anything that is not valid; a later version may say more at the end, which is left unread. */
export function readTraceparent(text: string): SpanAddress | null {
  const [, version, traceId, spanId, rest] = TRACEPARENT.exec(text.trim()) ?? [];
  if (traceId === undefined || spanId === undefined || version === "ff") return null;
  if (version === "00" && rest !== undefined) return null;
  return /^0+$/u.test(traceId) || /^0+$/u.test(spanId) ? null : { traceId, spanId };
}
