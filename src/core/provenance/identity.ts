import { digestText } from "../base/index.ts";

/** Returns the UUID of a subject, which standards require. It is deterministic, in the form of version 5 but computed with SHA-256. */
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

/** Escapes a part of an identifier: all characters except letters, digits, `_` and `~`, so that any reader accepts it. */
export function escaped(part: string): string {
  return encodeURIComponent(wellFormed(part)).replace(
    /[-.!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Replaces unpaired surrogates, which have no UTF-8 form. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
