/** Characters that steer a terminal or turn the direction of reading: shown, never obeyed. */
// oxlint-disable-next-line no-control-regex -- Control characters are what it looks for.
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text from outside as it can be shown: everything that would change how the rest is read is made visible. */
export function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(STEERING, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** More than this at once is neither read nor drawn quickly. */
export const SHOWN_MAX = 20_000;

export interface Excerpt {
  readonly text: string;
  /** Characters left out before it. */
  readonly before: number;
  readonly after: number;
}

/** The end of a text that grows, or the beginning of one that is done; all of it when it is short. */
export function excerptOf(text: string, side: "start" | "end", max = SHOWN_MAX): Excerpt {
  if (text.length <= max) return { text: plainText(text), before: 0, after: 0 };
  if (side === "start") return { text: plainText(text.slice(0, max)), before: 0, after: text.length - max };
  return { text: plainText(text.slice(-max)), before: text.length - max, after: 0 };
}
