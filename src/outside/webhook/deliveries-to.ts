import { webhookOf } from "../../registry/index.ts";
import { everyEntry, type NewDelivery, type RegistryStore } from "../../store/index.ts";
import { deliveryOf, isWanted, type Message } from "../delivery/index.ts";

/** What every webhook of an organisation is sent that listens to a message which neither a run nor the audit holds. */
export async function deliveriesTo(
  store: Pick<RegistryStore, "listEntries">,
  orgId: string,
  message: Message,
): Promise<readonly NewDelivery[]> {
  const webhooks = (await everyEntry(store, orgId, "webhook")).map(webhookOf);
  return webhooks
    .filter(({ events, isEnabled }) => isEnabled && isWanted(events, message.type))
    .map(({ id }) => deliveryOf(message, orgId, id));
}
