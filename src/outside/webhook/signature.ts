import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Messages older or newer than this are rejected, so that an intercepted one cannot be sent again later. */
export const TOLERANCE_MS = 300_000;

const PREFIX = "whsec_";
const ENCODED = /^whsec_[A-Za-z0-9+/]{2,}={0,2}$/;
const SECRET_BYTES = 32;
const SIGNATURES_MAX = 16;

/** Creates a secret in the text form that both sides store. */
export function newHookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/**
 * Returns the keys of a secret. `whsec_…` is base64; during a rotation, a secret may contain several of them,
 * separated by spaces. Any other text is used as its own bytes.
 */
export function keysOf(secret: string): readonly Uint8Array[] {
  const words = secret.split(" ").filter((word) => word !== "");
  if (words.length === 0 || !words.every((word) => ENCODED.test(word))) return [Buffer.from(secret, "utf8")];
  return words.map((word) => Buffer.from(word.slice(PREFIX.length), "base64"));
}

/** The values that are signed together with the body. */
export interface Stamp {
  readonly id: string;
  /** Seconds since the epoch, as written in the header. */
  readonly timestamp: string;
}

/** Returns one signature per key, so that a receiver that knows only one key can check it. */
export function sign(keys: readonly Uint8Array[], stamp: Stamp, body: string | Uint8Array): string {
  return keys.map((key) => signature(key, stamp, body)).join(" ");
}

function signature(key: Uint8Array, { id, timestamp }: Stamp, body: string | Uint8Array): string {
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

export type Verification = "good" | "bad_signature" | "bad_timestamp";

/** Checks whether any signature matches any key. Reports a bad timestamp only when a signature is valid. */
export function verify(
  keys: readonly Uint8Array[],
  stamp: Stamp,
  signatures: string,
  body: Uint8Array,
  now: number,
): Verification {
  const given = signatures.split(" ").slice(0, SIGNATURES_MAX);
  // Every pair is compared even after a match, so that the time taken reveals nothing.
  const fits = keys.flatMap((key) => {
    const expected = signature(key, stamp, body);
    return given.map((one) => isSame(one, expected));
  });
  if (!fits.includes(true)) return "bad_signature";
  const at = /^\d{1,12}$/.test(stamp.timestamp) ? Number(stamp.timestamp) * 1_000 : NaN;
  return Math.abs(now - at) <= TOLERANCE_MS ? "good" : "bad_timestamp";
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given, "utf8"), Buffer.from(expected, "utf8")];
  return left.length === right.length && timingSafeEqual(left, right);
}
