import { digestText } from "../base/index.ts";

/** Standards want UUIDs: the same subject always gets the same one, shaped like version 5 and made with SHA-256. */
export function uuidOf(subject: string): string {
  const hex = digestText(`sluice:${wellFormed(subject)}`).slice("sha256:".length);
  const variant = "89ab".charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

/** A part of an identifier; everything but letters, digits, `_` and `~` is escaped, so that any reader takes it. */
export function escaped(part: string): string {
  return encodeURIComponent(wellFormed(part)).replace(
    /[-.!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Half of a surrogate pair has no UTF-8. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
