import { fetchGuarded, type AllowList, type GuardedFailure, type Resolve } from "../../outbound/index.ts";
import type { ClaimedDelivery } from "../../store/index.ts";
import { sign } from "./signature.ts";
import type { Subscriber } from "./subscribers.ts";

/** Where messages may go besides public addresses; for tests, also how names are looked up. */
export interface Reach {
  readonly allow?: AllowList;
  readonly resolve?: Resolve;
}

export type Sent =
  | { readonly kind: "delivered"; readonly status: number }
  /** Gone for good: 410. */
  | { readonly kind: "gone"; readonly status: number }
  | { readonly kind: "failed"; readonly status: number | null; readonly error: string }
  /** It may not be sent there, and trying again would not change that. */
  | { readonly kind: "refused"; readonly error: string }
  /** We stopped; whether it arrived is not known. */
  | { readonly kind: "aborted" };

const SEND_TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 65_536;
const GONE = 410;
const FINAL: ReadonlySet<GuardedFailure["code"]> = new Set([
  "url_scheme",
  "url_credentials",
  "url_private",
  "url_port",
]);

/** One try. Redirects are not followed: a receiver that moves is registered with its new address. */
export async function send(
  { id, body }: Pick<ClaimedDelivery, "id" | "body">,
  { url, keys }: Pick<Subscriber, "url" | "keys">,
  { allow, resolve }: Reach,
  now: number,
  signal: AbortSignal,
): Promise<Sent> {
  if (keys === null) {
    return { kind: "refused", error: "The secret of the webhook cannot be opened any more; write it again." };
  }
  const timestamp = String(Math.floor(now / 1_000));
  const reply = await fetchGuarded(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "sluice-webhooks",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      ...(keys.length === 0 ? {} : { "webhook-signature": sign(keys, { id, timestamp }, body) }),
    },
    body,
    signal,
    timeoutMs: SEND_TIMEOUT_MS,
    bytesMax: ANSWER_BYTES_MAX,
    redirectsMax: 0,
    ...(allow === undefined ? {} : { allow }),
    ...(resolve === undefined ? {} : { resolve }),
  });
  if (!reply.ok) return failed(reply);
  const { status } = reply;
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  if (status === GONE) return { kind: "gone", status };
  return { kind: "failed", status, error: `It answered ${status}.` };
}

function failed({ code, message }: GuardedFailure): Sent {
  if (code === "aborted") return { kind: "aborted" };
  if (code === "url_redirect") {
    return { kind: "failed", status: null, error: "It redirects; write the address it leads to." };
  }
  return FINAL.has(code)
    ? { kind: "refused", error: `${code}: ${message}` }
    : { kind: "failed", status: null, error: `${code}: ${message}` };
}
