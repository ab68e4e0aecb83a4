import { NOW_MS, type Sql } from "../sql.ts";
import { passFence } from "./moving-fence.ts";

/** The organisation is no longer arriving: it already lives here, or the move was cancelled. */
export class NotArriving extends Error {
  override readonly name = "NotArriving";
}

/** Marks the organisation as arriving: from this point the move may write its rows here. */
export async function openArrival(sql: Sql, orgId: string, moveId: string): Promise<void> {
  await sql.query(OPEN, [orgId, moveId]);
}

/**
 * Runs a transaction only while the organisation is arriving. If two processes copy at once, the slower one finds the
 * row deleted and does not overwrite newer changes here.
 */
export function whileArriving<T>(
  sql: Sql,
  orgId: string,
  moveId: string,
  work: (within: Sql) => Promise<T>,
): Promise<T> {
  return sql.transaction(async (within) => {
    await holdArrival(within, orgId, moveId);
    return work(within);
  });
}

/** Locks the arrival until the end of the transaction. Throws unless the organisation is arriving by this move. */
export async function holdArrival(within: Sql, orgId: string, moveId: string): Promise<void> {
  const [held] = await within.query<{ move_id: string }>(HOLD, [orgId]);
  if (held?.move_id !== moveId) throw new NotArriving(`the organisation ${orgId} is not arriving`);
  await passFence(within, orgId);
}

/**
 * The last step, in the transaction that completes the rows. Waiting nodes lose their holder: only its part in the source has them in
 * memory. Usage may be summed up to another hour here than in the source: hours summed
 * here but not in the source are recorded as late, and sums of hours not summed here yet are deleted, to be summed here.
 */
export async function closeArrival(
  within: Sql,
  organisation: { readonly orgId: string; readonly name: string | null; readonly cell: string },
  rolledThere: number,
): Promise<void> {
  const { orgId, name, cell } = organisation;
  const [own] = await within.query<{ rolled_until: number }>(ROLLED);
  const rolledHere = own?.rolled_until ?? 0;
  await within.query(NAME_HOURS, [orgId, rolledThere, rolledHere]);
  await within.query(FORGET_HOURS, [orgId, rolledHere]);
  await within.query(RELEASE_WAITING, [orgId]);
  await within.query(SETTLE, [orgId, name, cell]);
  await within.query(CLOSE, [orgId]);
}

/** Returns runs of the organisation with open attempts held by a replica. */
export async function runsHeldBy(sql: Sql, orgId: string, replicaId: string): Promise<readonly string[]> {
  const rows = await sql.query<{ run_id: string }>(HELD_BY, [orgId, replicaId]);
  return rows.map((row) => row.run_id);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const OPEN = {
  name: "open arrival",
  text: `insert into cell_arrivals (org_id, move_id) values ($1, $2)
    on conflict (org_id) do update set move_id = excluded.move_id`,
};
const HOLD = { name: "hold arrival", text: "select move_id from cell_arrivals where org_id = $1 for update" };
const HELD_BY = {
  name: "runs held by a replica",
  text: "select distinct run_id from open_attempts where org_id = $1 and replica_id = $2 order by run_id",
};
const CLOSE = { name: "close arrival", text: "delete from cell_arrivals where org_id = $1" };
const ROLLED = { name: "usage rolled here", text: "select rolled_until from usage_rolling" };
const NAME_HOURS = {
  name: "name hours of arriving usage",
  text: `insert into late_usage (org_id, start)
    select distinct org_id, at / ${HOUR_MS} * ${HOUR_MS} from usage_records where org_id = $1 and at >= $2 and at < $3
    on conflict do nothing`,
};
const FORGET_HOURS = {
  name: "forget sums of arriving usage",
  text: `delete from usage_sums where org_id = $1 and
    ((span = 'hour' and start >= $2) or (span = 'day' and start + ${DAY_MS} > $2))`,
};
const RELEASE_WAITING = {
  name: "release arriving nodes",
  text: "update waiting_nodes set replica_id = null where org_id = $1 and replica_id is not null",
};
const SETTLE = {
  name: "settle arrived organisation",
  text: `insert into organisations (org_id, name, created_at, cell) values ($1, $2, ${NOW_MS}, $3)
    on conflict (org_id) do update set cell = excluded.cell`,
};
