import { digestOf } from "./scheme.ts";

/** The content of a `Stripe-Signature` header: the time of signing and the signatures of the current scheme. */
export interface StripeSignature {
  /** Seconds since the epoch, as written in the header. */
  readonly timestamp: string;
  readonly signatures: readonly Uint8Array[];
}

const SIGNATURES_MAX = 16;

/** Parses `t=1492774577,v1=…,v0=…`; null when the text is not exactly one such header. Schemes other than `v1` are ignored. */
export function readStripeSignature(header: string): StripeSignature | null {
  const pairs = header.split(",").map((item) => {
    const at = item.indexOf("=");
    return at < 1 ? null : ([item.slice(0, at).trim(), item.slice(at + 1).trim()] as const);
  });
  const times: string[] = [];
  const signatures: Uint8Array[] = [];
  for (const pair of pairs) {
    if (pair === null) return null;
    const [scheme, value] = pair;
    if (scheme === "t") times.push(value);
    if (scheme !== "v1") continue;
    const digest = digestOf(value, "hex");
    if (digest === null || signatures.length >= SIGNATURES_MAX) return null;
    signatures.push(digest);
  }
  const [timestamp = ""] = times;
  // A header that was sent twice has two timestamps.
  return times.length === 1 && /^\d{1,12}$/.test(timestamp) ? { timestamp, signatures } : null;
}
