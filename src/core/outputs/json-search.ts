import { LIMITS, type Json } from "../base/index.ts";
import { endOfScalar, nextBracket, scanContainer, type JsonSpan } from "./json-scan.ts";

/**
 * How often a bracket inside a supposed string is tried as a start. Past it the search only goes forward, so that
 * its cost stays linear on any text.
 */
const LOOK_BACKS_MAX = 8;

export interface JsonFind {
  readonly value?: Json;
  readonly source?: string;
  /** True when some value was passed over because it was nested too deeply. */
  readonly isTooDeep: boolean;
}

/** The value a text consists of, be it a scalar. */
export function parseWhole(text: string): JsonFind {
  const trimmed = text.trim();
  const isContainer = trimmed.startsWith("{") || trimmed.startsWith("[");
  if (!isContainer) return endOfScalar(trimmed, 0) === trimmed.length ? found(trimmed) : { isTooDeep: false };
  const scan = scanContainer(trimmed, 0);
  if (!scan.ok || scan.span.end !== trimmed.length) return { isTooDeep: false };
  return scan.span.depth > LIMITS.valueDepthMax ? { isTooDeep: true } : found(trimmed);
}

/** The first complete object or list among other text; the first object, if there is one, when that is wanted. */
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
