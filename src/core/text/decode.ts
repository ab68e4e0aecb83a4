import type { Problem } from "../base/index.ts";
import { LineTable } from "./line-table.ts";
import { ProblemList } from "./problem-list.ts";

const BYTE_ORDER_MARK = 0xfeff;
const CHUNK_UNITS = 8_192;

export type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Returns the text without its byte order mark, or the position of the first part that is not readable text. */
export function decodeSource(source: string | Uint8Array): Decoded {
  if (typeof source === "string") {
    return withoutNul(source.charCodeAt(0) === BYTE_ORDER_MARK ? source.slice(1) : source);
  }
  if (isWide(source)) {
    return refused("", "This file is UTF-16 or UTF-32.", "Save it as UTF-8.");
  }
  const hasMark = source[0] === 0xef && source[1] === 0xbb && source[2] === 0xbf;
  const { text, badByte } = decodeUtf8(source, hasMark ? 3 : 0);
  if (badByte !== undefined) {
    const byte = `0x${badByte.toString(16).toUpperCase().padStart(2, "0")}`;
    return refused(text, `The byte ${byte} is not valid UTF-8 here.`, "Save the file as UTF-8.");
  }
  return withoutNul(text);
}

function withoutNul(text: string): Decoded {
  const nul = text.indexOf("\0");
  if (nul === -1) return { ok: true, text };
  return refused(text.slice(0, nul), "There is a NUL character here.", "Remove it; this may not be a text file.");
}

function refused(before: string, message: string, hint: string): Decoded {
  const problems = new ProblemList(new LineTable(before));
  problems.add("yaml_encoding", before.length, [], message, hint);
  return { ok: false, problems: problems.sorted() };
}

/** Detects UTF-16: a byte order mark, or a NUL in exactly one of the first two bytes, as in any ASCII character. */
function isWide(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return false;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return (first === 0) !== (second === 0);
}

interface DecodedBytes {
  readonly text: string;
  readonly badByte?: number;
}

/** Decodes strict UTF-8 and keeps the text before an invalid byte, from which the position of that byte is computed. */
function decodeUtf8(bytes: Uint8Array, from: number): DecodedBytes {
  const units = new Uint16Array(CHUNK_UNITS);
  const parts: string[] = [];
  let used = 0;
  let position = from;
  const flush = (): void => {
    parts.push(Reflect.apply(String.fromCharCode, null, units.subarray(0, used)));
    used = 0;
  };
  while (position < bytes.length) {
    if (used + 2 > CHUNK_UNITS) flush();
    const lead = bytes[position] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const point = length === 1 ? lead : codePointAt(bytes, position, length);
    if (point === undefined) {
      flush();
      return { text: parts.join(""), badByte: lead };
    }
    if (point < 0x10000) units[used++] = point;
    else {
      units[used++] = 0xd800 + ((point - 0x10000) >> 10);
      units[used++] = 0xdc00 + ((point - 0x10000) & 0x3ff);
    }
    position += length;
  }
  flush();
  return { text: parts.join("") };
}

const LOWEST_POINT = [0, 0, 0x80, 0x800, 0x10000] as const;

/** Undefined for a stray or missing byte, an overlong form, an unpaired surrogate, or a value beyond Unicode. */
function codePointAt(bytes: Uint8Array, position: number, length: 2 | 3 | 4): number | undefined {
  const lead = bytes[position] ?? 0;
  if (lead < 0xc2 || lead > 0xf4) return undefined;
  let point = lead & (0xff >> (length + 1));
  for (let index = 1; index < length; index += 1) {
    const next = bytes[position + index];
    if (next === undefined || (next & 0xc0) !== 0x80) return undefined;
    point = (point << 6) | (next & 0x3f);
  }
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  return point < LOWEST_POINT[length] || isSurrogate || point > 0x10ffff ? undefined : point;
}
