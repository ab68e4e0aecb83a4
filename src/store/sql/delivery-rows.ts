import { NOW_MS } from "../sql.ts";
import type { NewDelivery } from "../webhook-store.ts";
import { bigint, Columns, jsonText, optional, text } from "./columns.ts";

const KEPT = {
  id: text,
  orgId: text,
  targetId: text,
  type: text,
  body: jsonText,
  recipient: optional(text),
  groupKey: optional(text),
  runId: optional(text),
};
/** The column was named before channels existed. */
export const DELIVERY_NAMES = { targetId: "webhook_id" } as const;
const ROW = new Columns(KEPT, DELIVERY_NAMES);
const NEW_DELIVERY = new Columns({ ...KEPT, delayMs: bigint }, DELIVERY_NAMES);

/** Returns deliveries as parameters of a statement, for `addDeliveries`. */
export function deliveryColumns(deliveries: readonly NewDelivery[]): readonly string[] {
  return NEW_DELIVERY.batch(deliveries);
}

/** Returns an insert for deliveries, in order, whose parameters begin at `place`; `condition` may refer to preceding CTEs. */
export function addDeliveries(place: number, condition = "true"): string {
  return `insert into webhook_deliveries (${ROW.list()}, state, next_at, created_at)
    select ${ROW.list("i")}, 'pending', ${NOW_MS} + i.delay_ms, ${NOW_MS}
    from unnest(${NEW_DELIVERY.arrays(place)}) with ordinality as i (${NEW_DELIVERY.list()}, place)
    where ${condition} order by i.place on conflict (id) do nothing`;
}
