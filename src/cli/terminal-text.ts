import { styleText } from "node:util";
import type { Io, Screen } from "./io.ts";

type Colour = "red" | "green" | "yellow" | "cyan" | "gray" | "bold";

/** Colours a text, or returns it unchanged when colour is not wanted. */
export type Paint = (colour: Colour, text: string) => string;

/** Returns a painter. It uses colours only at a terminal, and not with NO_COLOR or a dumb terminal. */
export function createPaint(screen: Screen, env: Io["env"]): Paint {
  const isUnwanted = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  if (!screen.isTty || isUnwanted) return (_, text) => text;
  return (colour, text) => styleText(colour, text, { validateStream: false });
}

/** Control characters other than tab and line feed, and characters that hide or change the writing direction. */
const UNPRINTABLE = /[^\P{Cc}\t\n]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Makes text from files and adapters safe: it cannot move the cursor, ring the bell or overwrite earlier lines. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character === "\r" ? "" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Replaces each unprintable character with one space, so that columns stay correct in a line with a mark below it. */
export function blanked(text: string): string {
  return text.replace(UNPRINTABLE, " ").replaceAll("\t", " ");
}

/** Returns printable text on one line, for tables and trees. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, " ").trim());
}

/** Cuts a text to a number of terminal columns, with a mark when something is cut off. */
export function clip(text: string, columns: number): string {
  if (columns <= 0) return "";
  let used = 0;
  let kept = "";
  let keptWithMark = "";
  for (const character of text) {
    used += columnsOf(character);
    if (used > columns) return `${keptWithMark}…`;
    kept += character;
    if (used < columns) keptWithMark = kept;
  }
  return kept;
}

export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** Pads a text with spaces to a number of columns. */
export function pad(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** Returns the width of a character. East Asian and pictographic characters take two columns, joiners and combining marks none. */
function columnsOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x300) return 1;
  if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) return 0;
  const isWide =
    (point >= 0x1100 && point <= 0x115f) ||
    (point >= 0x2e80 && point <= 0xa4cf) ||
    (point >= 0xac00 && point <= 0xd7a3) ||
    (point >= 0xf900 && point <= 0xfaff) ||
    (point >= 0xfe30 && point <= 0xfe6f) ||
    (point >= 0xff00 && point <= 0xff60) ||
    (point >= 0xffe0 && point <= 0xffe6) ||
    (point >= 0x1f300 && point <= 0x1faff) ||
    (point >= 0x20000 && point <= 0x3fffd);
  return isWide ? 2 : 1;
}
