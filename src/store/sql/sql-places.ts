import type { PlaceStore } from "../place-store.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import { bigint, Columns, int, optional, text } from "./columns.ts";

const PLACE = new Columns({ runId: text, slot: optional(int), since: bigint });

export function sqlPlaces(sql: Sql): PlaceStore {
  return {
    placesOf: async (orgId, key, limit) => PLACE.all(await sql.query(PLACES, [orgId, key, limit])),
  };
}

const PLACES = {
  name: "places of key",
  text: `(select ${PLACE.list()} from run_places where org_id = $1 and key = $2 and slot is not null
      order by since, run_id limit $3)
    union all
    (select ${PLACE.list()} from run_places where org_id = $1 and key = $2 and slot is null
      order by since, run_id limit $3)`,
};

/** Sets a timer for the run that has waited longest for each row's key, so that it checks whether it may begin. An existing timer stays. */
function notified(name: string, from: string): string {
  return `${name} as (
      insert into timers (run_id, key, org_id, due_at)
      select distinct n.run_id, '{"kind":"place"}', n.org_id, ${NOW_MS}
      from ${from} cross join lateral (
        select w.run_id, w.org_id from run_places w
        where w.org_id = i.org_id and w.key = i.key and w.slot is null and w.run_id <> i.run_id
        order by w.since, w.run_id limit 1) n
      on conflict do nothing
    )`;
}

export const PLACE_CTES = {
  places: (rows: string) => [
    `places as (
      insert into run_places (run_id, org_id, key, slot, since)
      select i.run_id, i.org_id, i.key, i.slot, i.since from ${rows} join won using (run_id)
      on conflict (run_id) do update set slot = excluded.slot
      returning run_id, org_id, key, slot
    )`,
    notified("places_notified", "(select * from places where slot is not null) i"),
  ],
  places_released: (rows: string) => [
    `places_released as (
      delete from run_places p using ${rows} join won using (run_id) where p.run_id = i.run_id
      returning p.run_id, p.org_id, p.key
    )`,
    notified("released_notified", "places_released i"),
  ],
} as const;
