import { createHmac, timingSafeEqual } from "node:crypto";

/** Requests older or newer than this are not believed, so that an overheard one cannot be sent again later. */
const TOLERANCE_MS = 300_000;

export type SlackVerification = "good" | "bad_signature" | "bad_timestamp";

/** Whether a request was signed with the signing secret of an app, and just now. */
export function verifySlack(
  secret: string,
  { timestamp, signature }: { readonly timestamp: string; readonly signature: string },
  body: Uint8Array,
  now: number,
): SlackVerification {
  const expected = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex")}`;
  const [given, wanted] = [Buffer.from(signature, "utf8"), Buffer.from(expected, "utf8")];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return "bad_signature";
  const at = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1_000 : Number.NaN;
  return Math.abs(now - at) <= TOLERANCE_MS ? "good" : "bad_timestamp";
}
