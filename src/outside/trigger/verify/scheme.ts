import { createHmac, timingSafeEqual } from "node:crypto";
import type { Json } from "../../../core/base/index.ts";
import type { HookSource } from "../../../registry/index.ts";

/** A message as it came in: nothing of it has been read yet. */
export interface IncomingMessage {
  /** By name in lower case; null when there is none. One that was sent twice has both, with a comma between. */
  readonly header: (name: string) => string | null;
  readonly body: Uint8Array;
}

export type Verdict = "good" | "bad_signature" | "bad_timestamp";

export interface Proof {
  readonly secrets: readonly string[];
  readonly message: IncomingMessage;
  readonly source: HookSource;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** How one kind of sender proves who it is. */
export interface Scheme {
  /** Headers without which a message is refused before its body is read. */
  readonly needs: (source: HookSource) => readonly string[];
  /** Its age is only reported to a sender who could sign it. */
  readonly verify: (proof: Proof) => Verdict;
  /** The id the sender gives a delivery; null when there is none. */
  readonly idOf: (message: IncomingMessage, body: Json) => Json | null;
}

/** Messages older or newer than this are rejected, so that an overheard one cannot be sent again later. */
const TOLERANCE_MS = 300_000;

export function isTimely(seconds: string, now: number): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(now - Number(seconds) * 1_000) <= TOLERANCE_MS;
}

export function hmac(secret: string, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const sum = createHmac("sha256", secret);
  for (const part of parts) sum.update(part);
  return sum.digest();
}

const HEX = /^[0-9a-fA-F]{64}$/;

/** A SHA-256 as it is written; null when the text is none. */
export function digestOf(text: string, encoding: "hex" | "base64"): Buffer | null {
  if (encoding === "hex") return HEX.test(text) ? Buffer.from(text, "hex") : null;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === 32 && bytes.toString("base64") === text ? bytes : null;
}

/** Does any of them fit? All are compared, whatever fits first: how long it takes reveals nothing. */
export function fitsAny(given: readonly Uint8Array[], expected: readonly Uint8Array[]): boolean {
  const fits = expected.flatMap((one) => given.map((other) => isSame(other, one)));
  return fits.includes(true);
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
