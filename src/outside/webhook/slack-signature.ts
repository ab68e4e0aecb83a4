/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Requests older or newer than this are rejected, so that an intercepted one cannot be sent again later. */
const TOLERANCE_MS = 300_000;

export type SlackVerification = "good" | "bad_signature" | "bad_timestamp";

/** Checks whether a request was signed with one of the signing secrets of an app, and recently. */
export function verifySlack(
  secrets: readonly string[],
  { timestamp, signature }: { readonly timestamp: string; readonly signature: string },
  body: Uint8Array,
  now: number,
): SlackVerification {
  const given = Buffer.from(signature, "utf8");
  const isSigned = secrets.some((secret) => {
    const wanted = Buffer.from(
      `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex")}`,
    );
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  if (!isSigned) return "bad_signature";
  const at = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1_000 : Number.NaN;
  return Math.abs(now - at) <= TOLERANCE_MS ? "good" : "bad_timestamp";
}
