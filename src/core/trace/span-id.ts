import { digestText } from "../base/index.ts";
import type { SpanAddress } from "./span.ts";

const SPAN_ID_LENGTH = 16;
const DIGEST_PREFIX = "sha256:".length;

/**
 * Ids follow from what they name, so that every replica names a span the same, nothing has to be kept, and a span that
 * is sent twice is the same span.
 */
function spanIdOf(text: string): string {
  const id = digestText(text).slice(DIGEST_PREFIX, DIGEST_PREFIX + SPAN_ID_LENGTH);
  // All zeros means "none" on the wire.
  return /^0+$/u.test(id) ? `${"0".repeat(SPAN_ID_LENGTH - 1)}1` : id;
}

/** The span of an attempt, from the id its dispatch carries. */
export function attemptSpanId(dispatchId: string): string {
  return spanIdOf(dispatchId);
}

/** A node that is taken back and runs again gets another span: `life` counts from 1. */
export function nodeSpanId(runId: string, nodeId: string, life: number): string {
  return spanIdOf(`node ${life} ${runId}/${nodeId}`);
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
