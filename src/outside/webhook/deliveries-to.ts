import { webhookOf } from "../../registry/index.ts";
import { everyEntry, type NewDelivery, type RegistryStore } from "../../store/index.ts";
import { deliveryOf, isWanted, type Message } from "../delivery/index.ts";

/** Returns the deliveries of a message to every webhook that listens for it. The message is neither an event nor an audit record. */
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
