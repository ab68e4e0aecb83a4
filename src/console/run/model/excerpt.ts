import { plainText } from "../../../core/text/index.ts";

/** Longest text shown at once. A longer one is slow to draw and hard to read. */
export const SHOWN_MAX = 20_000;

export interface Excerpt {
  readonly text: string;
  /** Number of characters left out before the excerpt. */
  readonly before: number;
  readonly after: number;
}

/** Returns the end of a growing text or the beginning of a finished one. A short text is returned completely. */
export function excerptOf(text: string, side: "start" | "end", max = SHOWN_MAX): Excerpt {
  if (text.length <= max) return { text: plainText(text), before: 0, after: 0 };
  if (side === "start") return { text: plainText(text.slice(0, max)), before: 0, after: text.length - max };
  return { text: plainText(text.slice(-max)), before: text.length - max, after: 0 };
}
