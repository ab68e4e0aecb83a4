/** The form of names in a path. A hyphen is part of a name only where it cannot be a minus. */
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

/** Returns the text a sticky pattern matches at exactly this position. */
export function readAt(pattern: RegExp, text: string, start: number): string | undefined {
  pattern.lastIndex = start;
  return pattern.exec(text)?.[0];
}

/** Returns the whole character at a position, not half of a surrogate pair, for messages. */
export function characterAt(text: string, position: number): string {
  const point = text.codePointAt(position);
  return point === undefined ? "" : String.fromCodePoint(point);
}
