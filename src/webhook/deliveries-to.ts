import { webhookOf } from "../registry/index.ts";
import type { NewDelivery, RegistryStore } from "../store/index.ts";
import { isWanted } from "./interest.ts";
import { deliveryOf, type Message } from "./message.ts";

const PAGE = 100;

/** What every webhook of an organisation is sent that listens to a message which neither a run nor the audit tells. */
export async function deliveriesTo(
  store: Pick<RegistryStore, "listEntries">,
  orgId: string,
  message: Message,
): Promise<readonly NewDelivery[]> {
  const deliveries: NewDelivery[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await store.listEntries(orgId, "webhook", { limit: PAGE, cursor });
    for (const { id, events, isEnabled } of page.data.map(webhookOf)) {
      if (isEnabled && isWanted(events, message.type)) deliveries.push(deliveryOf(message, orgId, id));
    }
    cursor = page.nextCursor;
    if (cursor === null) return deliveries;
  }
}
