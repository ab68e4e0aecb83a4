import { NOW_MS } from "../sql.ts";
import type { NewDelivery } from "../webhook-store.ts";
import { Columns, jsonText, text } from "./columns.ts";

const NEW_DELIVERY = new Columns({ id: text, orgId: text, webhookId: text, type: text, body: jsonText });

/** Deliveries as parameters of a statement; `addDeliveries` reads them there. */
export function deliveryColumns(deliveries: readonly NewDelivery[]): readonly string[] {
  return NEW_DELIVERY.batch(deliveries);
}

/** Writes them, in their order, from the parameters that begin at `place`; `condition` may refer to what came before. */
export function addDeliveries(place: number, condition = "true"): string {
  return `insert into webhook_deliveries (${NEW_DELIVERY.list()}, state, next_at, created_at)
    select ${NEW_DELIVERY.list("i")}, 'pending', ${NOW_MS}, ${NOW_MS}
    from unnest(${NEW_DELIVERY.arrays(place)}) with ordinality as i (${NEW_DELIVERY.list()}, place)
    where ${condition} order by i.place on conflict (id) do nothing`;
}
