/** A name in a path. Hyphens join a name only where they cannot be taken for a minus. */
export type NameStyle = "plain" | "hyphenated";

const NAMES: Readonly<Record<NameStyle, RegExp>> = {
  plain: /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy,
  hyphenated: /[\p{L}_][\p{L}\p{M}\p{N}_]*(?:-[\p{L}\p{M}\p{N}_]+)*/uy,
};

export function readName(text: string, start: number, style: NameStyle): string | undefined {
  return readAt(NAMES[style], text, start);
}

const SPACE = /\s*/y;

export function skipSpace(text: string, start: number): number {
  return start + (readAt(SPACE, text, start) ?? "").length;
}

/** What a sticky pattern finds at exactly this place. */
export function readAt(pattern: RegExp, text: string, start: number): string | undefined {
  pattern.lastIndex = start;
  return pattern.exec(text)?.[0];
}

/** The whole character at a place, not half of it, for messages. */
export function characterAt(text: string, position: number): string {
  const point = text.codePointAt(position);
  return point === undefined ? "" : String.fromCodePoint(point);
}
