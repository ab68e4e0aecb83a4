import { fetchGuarded } from "../../outbound/index.ts";
import type { ClaimedDelivery } from "../../store/index.ts";
import { type Reach, type Sent, sentOfFailure } from "../delivery/index.ts";
import { sign } from "./signature.ts";

/** The address of a webhook and the keys that sign its messages. */
export interface Receiver {
  readonly url: string;
  /** Empty when messages to this receiver are not signed. */
  readonly keys: readonly Uint8Array[];
}

const SEND_TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 65_536;
const GONE = 410;
/** Makes one try. Redirects are not followed: a receiver that moves must be registered with its new address. */
export async function send(
  { id, body }: Pick<ClaimedDelivery, "id" | "body">,
  { url, keys }: Receiver,
  { allow, resolve }: Reach,
  now: number,
  signal: AbortSignal,
): Promise<Sent> {
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
  if (!reply.ok) return sentOfFailure(reply);
  const { status } = reply;
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  if (status === GONE) return { kind: "gone", status };
  return { kind: "failed", status, error: `It answered ${status}.` };
}
