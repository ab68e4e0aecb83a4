import type { Clock } from "../../clock/index.ts";
import type { SecretBox } from "../../gateway/index.ts";
import { openSecrets, secretPlace, type Webhook, webhookOf } from "../../registry/index.ts";
import type { RegistryStore } from "../../store/index.ts";
import { deliveryOf, isWanted, type Reach, type Target, type TargetKind } from "../delivery/index.ts";
import { send } from "./send.ts";
import { keysOf } from "./signature.ts";

export interface WebhookTargetsOptions {
  readonly store: Pick<RegistryStore, "entrySecrets">;
  /** What opens the secrets of webhooks. */
  readonly box: SecretBox;
  readonly clock: Pick<Clock, "now">;
  /** Private addresses are refused unless this allows them. */
  readonly reach?: Reach;
}

/** Webhooks as targets: each message goes out as it is, signed. */
export function webhookTargets(options: WebhookTargetsOptions): TargetKind {
  return {
    kind: "Webhook",
    targetId: (name) => name,
    isEnabled: (entry) => webhookOf(entry).isEnabled,
    open: async (orgId, entries, sinceOf) => {
      const targets: Target[] = [];
      for (const entry of entries) {
        const keys = await signingKeys(options, orgId, entry.id);
        targets.push(targetOf(webhookOf(entry), keys, sinceOf(entry), options));
      }
      return targets;
    },
  };
}

/** None: what it is sent is not signed. Null: there is a secret, and it cannot be opened. */
async function signingKeys(
  { store, box }: WebhookTargetsOptions,
  orgId: string,
  id: string,
): Promise<readonly Uint8Array[] | null> {
  const kept = await store.entrySecrets(orgId, "webhook", id);
  const { secret } = openSecrets(box, secretPlace(orgId, "webhook", id), kept);
  if (secret !== undefined) return keysOf(secret);
  return Object.hasOwn(kept, "secret") ? null : [];
}

function targetOf(
  { id, url, events }: Webhook,
  keys: readonly Uint8Array[] | null,
  since: number,
  { clock, reach = {} }: WebhookTargetsOptions,
): Target {
  return {
    id,
    since,
    wants: (type) => isWanted(events, type),
    deliveriesOf: async ({ orgId, message }) => [deliveryOf(message, orgId, id)],
    pause: async () => null,
    send: async ([delivery], signal) =>
      delivery === undefined
        ? { kind: "refused", error: "There is nothing to send." }
        : send(delivery, { url, keys }, reach, clock.now(), signal),
  };
}
