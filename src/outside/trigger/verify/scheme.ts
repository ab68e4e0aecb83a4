import { createHmac, timingSafeEqual } from "node:crypto";
import type { Json } from "../../../core/base/index.ts";
import type { HookSource } from "../../../registry/index.ts";

/** A message as it was received: its body has not been parsed yet. */
export interface IncomingMessage {
  /** Returns a header by its name in lower case; null when it is missing. A header sent twice has both values, with a comma between. */
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

/** Checks how one kind of sender proves its identity. */
export interface Scheme {
  /** Headers without which a message is refused before its body is read. */
  readonly needs: (source: HookSource) => readonly string[];
  /** Reports a bad timestamp only when the signature is valid. */
  readonly verify: (proof: Proof) => Verdict;
  /** Returns the id the sender gave the delivery; null when there is none. */
  readonly idOf: (message: IncomingMessage, body: Json) => Json | null;
}

/** Messages older or newer than this are rejected, so that an intercepted one cannot be sent again later. */
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

/** Decodes a SHA-256 digest; null when the text is not one. */
export function digestOf(text: string, encoding: "hex" | "base64"): Buffer | null {
  if (encoding === "hex") return HEX.test(text) ? Buffer.from(text, "hex") : null;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === 32 && bytes.toString("base64") === text ? bytes : null;
}

/** Checks whether any given value equals any expected one. All pairs are compared, so that the time taken reveals nothing. */
export function fitsAny(given: readonly Uint8Array[], expected: readonly Uint8Array[]): boolean {
  const fits = expected.flatMap((one) => given.map((other) => isSame(other, one)));
  return fits.includes(true);
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
