import { NOW_MS } from "../sql.ts";
import type { NewDelivery } from "../webhook-store.ts";
import { decodeColumn, encodeColumn } from "./column.ts";

const COLUMNS = { id: "text", orgId: "text", webhookId: "text", type: "text", body: "json" } as const;

/** Deliveries as parameters of a statement; `ADD_DELIVERIES` reads them there. */
export function deliveryColumns(deliveries: readonly NewDelivery[]): readonly string[] {
  const rows = deliveries.map(({ id, orgId, webhookId, type, body }) => ({ id, orgId, webhookId, type, body }));
  return Object.entries(COLUMNS).map(([column, type]) => encodeColumn(type, rows, column));
}

/** Writes them, in their order, from the parameters that begin at `place`; `condition` may refer to what came before. */
export function addDeliveries(place: number, condition = "true"): string {
  const arrays = Object.values(COLUMNS).map((type, index) => decodeColumn(type, place + index));
  return `insert into webhook_deliveries (id, org_id, webhook_id, type, body, state, next_at, created_at)
    select i.id, i.org_id, i.webhook_id, i.type, i.body, 'pending', ${NOW_MS}, ${NOW_MS}
    from unnest(${arrays.join(", ")}) with ordinality as i (id, org_id, webhook_id, type, body, place)
    where ${condition} order by i.place on conflict (id) do nothing`;
}
