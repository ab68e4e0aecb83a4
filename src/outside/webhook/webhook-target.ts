import type { Clock } from "../../clock/index.ts";
import { type Webhook, webhookOf } from "../../registry/index.ts";
import type { Secrets } from "../../secrets/index.ts";
import {
  deliveryOf,
  isWanted,
  type Message,
  type Occurrence,
  type Reach,
  type Target,
  type TargetKind,
} from "../delivery/index.ts";
import { sentOfRefusal } from "./refused-secret.ts";
import { send } from "./send.ts";
import { keysOf } from "./signature.ts";

export interface WebhookTargetsOptions {
  /** Opens the secrets of webhooks. */
  readonly secrets: Pick<Secrets, "openEntry">;
  readonly clock: Pick<Clock, "now">;
  /** Private addresses are refused unless this allows them. */
  readonly reach?: Reach;
}

/** Returns webhooks as targets: each message is sent unchanged and signed. */
export function webhookTargets(options: WebhookTargetsOptions): TargetKind {
  return {
    kind: "Webhook",
    targetId: (name) => name,
    isEnabled: (entry) => webhookOf(entry).isEnabled,
    open: async (orgId, entries, sinceOf) =>
      entries.map((entry) => targetOf(orgId, webhookOf(entry), sinceOf(entry), options)),
  };
}

function targetOf(
  orgId: string,
  { id, url, events }: Webhook,
  since: number,
  { secrets, clock, reach = {} }: WebhookTargetsOptions,
): Target {
  return {
    id,
    since,
    wants: (type) => isWanted(events, type) || (type === EMITTED && events.some((event) => !event.endsWith("*"))),
    deliveriesOf: async (occurrence) =>
      messagesFor(events, occurrence).map((message) => deliveryOf(message, occurrence.orgId, id)),
    pause: async () => null,
    send: async ([delivery], signal) => {
      if (delivery === undefined) return { kind: "refused", error: "There is nothing to send." };
      // Opened for each message, so that a replaced secret takes effect at once.
      const opened = await secrets.openEntry(orgId, "webhook", id);
      const { secret: refusal } = opened.refusals;
      if (refusal !== undefined) return sentOfRefusal(refusal);
      const { secret } = opened.secrets;
      const keys = secret === undefined ? [] : keysOf(secret);
      return send(delivery, { url, keys }, reach, clock.now(), signal);
    },
  };
}

const EMITTED = "event.emitted";

/** Sends an emitted event under its own type to webhooks that list that type, and unchanged to those that list `event.emitted`. */
function messagesFor(events: readonly string[], { message, data }: Occurrence): readonly Message[] {
  if (message.type !== EMITTED || isWanted(events, EMITTED)) return [message];
  const type = data["type"];
  if (typeof type !== "string" || !events.includes(type)) return [];
  const body = JSON.stringify({ ...(JSON.parse(message.body) as object), type });
  return [{ ...message, type, body }];
}
