import { utf8Bytes } from "../base/index.ts";

/** One spelling of a secret, as the exact text to search for. */
export interface Shape {
  readonly text: string;
  /** Whether the preceding character also holds bits of the secret and is redacted with it. */
  readonly hasLead: boolean;
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Characters of a URL that some encoder leaves unescaped. */
const UNRESERVED = /[A-Za-z0-9\-._~]/;
const KEPT_BY_COMPONENT = /[A-Za-z0-9\-._~!'()*]/;
const KEPT_BY_URI = /[A-Za-z0-9\-._~!'()*;,/?:@&=+$#]/;
const KEPT_BY_FORM = /[A-Za-z0-9\-._*]/;
const NEVER_KEPT = /[^\s\S]/;

const ASCII = /[ -~]/;
const HTML_SIGN = /[<>&]/;

/** Returns every text under which a secret is recognised. */
export function shapesOf(secret: string): Shape[] {
  const bytes = Array.from(utf8Bytes(secret));
  const whole = new Set([secret, ...jsonShapes(secret), ...percentShapes(bytes), ...hexShapes(bytes)]);
  const shapes = Array.from(whole, (text) => ({ text, hasLead: false }));
  for (const alphabet of [BASE64, BASE64URL]) {
    for (const before of [0, 1, 2]) shapes.push(...base64Shapes(bytes, before, alphabet));
  }
  return shapes;
}

/** Returns whether a character may occur in base64 or base64url. */
export function isBase64Unit(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    unit === 0x2b ||
    unit === 0x2d ||
    unit === 0x2f ||
    unit === 0x5f
  );
}

/** Returns the JSON spellings of common encoders: plain, slashes escaped, ASCII only, safe for HTML, and JSON inside JSON. */
function jsonShapes(secret: string): string[] {
  const plain = inJson(secret);
  const ascii = escapeUnits(plain, (character) => !ASCII.test(character));
  const html = escapeUnits(plain, (character) => HTML_SIGN.test(character));
  return [plain, plain.replaceAll("/", "\\/"), ascii, upperHex(ascii), html, inJson(plain)];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function escapeUnits(text: string, mustEscape: (character: string) => boolean): string {
  return text
    .split("")
    .map((unit) => (mustEscape(unit) ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}` : unit))
    .join("");
}

function upperHex(escaped: string): string {
  return escaped.replaceAll(/\\u([0-9a-f]{4})/g, (_, digits: string) => `\\u${digits.toUpperCase()}`);
}

function percentShapes(bytes: readonly number[]): string[] {
  const shapes: string[] = [];
  for (const digits of [hexOf, (byte: number): string => hexOf(byte).toUpperCase()]) {
    for (const kept of [UNRESERVED, KEPT_BY_COMPONENT, KEPT_BY_URI, KEPT_BY_FORM, NEVER_KEPT]) {
      shapes.push(percentEncode(bytes, kept, digits));
    }
    shapes.push(percentEncode(bytes, KEPT_BY_FORM, digits).replaceAll("%20", "+"));
  }
  return shapes;
}

function percentEncode(bytes: readonly number[], kept: RegExp, digits: (byte: number) => string): string {
  return bytes
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return byte < 0x80 && kept.test(character) ? character : `%${digits(byte)}`;
    })
    .join("");
}

function hexShapes(bytes: readonly number[]): string[] {
  const lower = bytes.map(hexOf).join("");
  return [lower, lower.toUpperCase()];
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/**
 * Returns the characters that encode the secret when `before` bytes (modulo 3) precede it. The last character may also hold
 * bits of the following bytes: each of its few possible values is a longer shape. The first character is covered by `hasLead`,
 * since separate shapes would repeat everything after it.
 */
function base64Shapes(bytes: readonly number[], before: number, alphabet: string): Shape[] {
  const end = (before + bytes.length) * 8;
  let known = "";
  let index = Math.ceil((before * 8) / 6);
  for (; (index + 1) * 6 <= end; index += 1) known += alphabet.charAt(sextet(bytes, index * 6 - before * 8));
  const hasLead = before > 0;
  const rest = end - index * 6;
  const shapes: Shape[] = [{ text: known, hasLead }];
  if (rest === 0) return shapes;
  const first = sextet(bytes, index * 6 - before * 8);
  for (let foreign = 0; foreign < 1 << (6 - rest); foreign += 1) {
    shapes.push({ text: known + alphabet.charAt(first | foreign), hasLead });
  }
  return shapes;
}

/** Returns six bits from the given bit on, with zeros beyond the end. */
function sextet(bytes: readonly number[], bit: number): number {
  const at = bit >> 3;
  const pair = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  return (pair >> (10 - (bit & 7))) & 0x3f;
}
