import { LIMITS, type Json } from "../base/index.ts";
import { endOfScalar, nextBracket, scanContainer, type JsonSpan } from "./json-scan.ts";

/**
 * Number of times a bracket inside a supposed string is tried as a start. After that the search only moves forward, so its cost
 * stays linear for any text.
 */
const LOOK_BACKS_MAX = 8;

export interface JsonFind {
  readonly value?: Json;
  readonly source?: string;
  /** True when a value was skipped because it was nested too deeply. */
  readonly isTooDeep: boolean;
}

/** Parses a text that consists of exactly one JSON value, which may be a scalar. */
export function parseWhole(text: string): JsonFind {
  const trimmed = text.trim();
  const isContainer = trimmed.startsWith("{") || trimmed.startsWith("[");
  if (!isContainer) return endOfScalar(trimmed, 0) === trimmed.length ? found(trimmed) : { isTooDeep: false };
  const scan = scanContainer(trimmed, 0);
  if (!scan.ok || scan.span.end !== trimmed.length) return { isTooDeep: false };
  return scan.span.depth > LIMITS.valueDepthMax ? { isTooDeep: true } : found(trimmed);
}

/** Finds the first complete object or list within other text. With `wanted: "object"`, the first object is preferred to a list. */
export function findJson(text: string, wanted: "any" | "object"): JsonFind {
  let list: JsonSpan | undefined;
  let isTooDeep = false;
  let lookBacks = 0;
  let position = nextBracket(text, 0, text.length);
  while (position < text.length) {
    const scan = scanContainer(text, position);
    const spans = scan.ok ? [scan.span] : [wanted === "object" ? scan.wholeObject : undefined, scan.whole];
    let resume = scan.ok ? scan.span.end : scan.failedAt;
    for (const span of spans) {
      if (span === undefined) continue;
      if (span.depth > LIMITS.valueDepthMax) isTooDeep = true;
      else if (wanted === "any" || text[span.start] === "{") return found(text.slice(span.start, span.end), isTooDeep);
      else list ??= span;
    }
    if (!scan.ok && scan.hiddenBracket !== undefined && lookBacks < LOOK_BACKS_MAX) {
      lookBacks += 1;
      resume = scan.hiddenBracket;
    }
    position = nextBracket(text, resume, text.length);
  }
  return list === undefined ? { isTooDeep } : found(text.slice(list.start, list.end), isTooDeep);
}

function found(source: string, isTooDeep = false): JsonFind {
  const value: Json = JSON.parse(source);
  return { value, source, isTooDeep };
}
