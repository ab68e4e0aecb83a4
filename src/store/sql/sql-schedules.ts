import { required } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { ScheduleStore, SlotState } from "../schedule-store.ts";
import { arrayLiteral, type Sql } from "../sql.ts";
import { bigint, Columns, oneOf, optional, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlSchedules(sql: Sql): ScheduleStore {
  return {
    scheduleCursors: async (orgId) => CURSOR.all(await sql.query(CURSORS, [orgId])),
    startCursor: async (cursor) =>
      required(CURSOR.first(await sql.query(START_CURSOR, CURSOR.values(cursor))), "a cursor just written is answered"),
    scheduleStanding: async (orgId, scheduleId) => {
      const [row] = await lookUp<StandingRow>(sql, STANDING, [orgId, scheduleId]);
      const { edition, looked_until: lookedUntil, open_at: slotAt, open_run: runId, queued } = row ?? NOTHING;
      return {
        cursor: edition === null || lookedUntil === null ? null : { orgId, scheduleId, edition, lookedUntil },
        open: slotAt === null ? null : { slotAt, runId },
        queued,
      };
    },
    claimSlots: async ({ cursor, lookedUntil, workflow, slots, claimedBy, at }) => {
      const rows = await sql.query<{ moved: number; slot_at: number | null }>(CLAIM, [
        cursor.orgId,
        cursor.scheduleId,
        cursor.edition,
        cursor.lookedUntil,
        lookedUntil,
        workflow,
        claimedBy,
        at,
        arrayLiteral(slots.map(({ slotAt }) => slotAt)),
        arrayLiteral(slots.map(({ state }) => state)),
        arrayLiteral(slots.map(({ reason }) => reason)),
      ]);
      if (rows[0]?.moved !== 1) return null;
      return rows.flatMap(({ slot_at: slotAt }) => (slotAt === null ? [] : [slotAt]));
    },
    unsettledSlots: async (limit) => SLOT.all(await sql.query(UNSETTLED, [limit])),
    takeClaimedSlot: async ({ orgId, scheduleId, slotAt }, { claimedBy, at, claimedBefore }) =>
      (await sql.query(TAKE_CLAIMED, [orgId, scheduleId, slotAt, claimedBy, at, claimedBefore])).length > 0,
    takeQueuedSlot: async ({ orgId, scheduleId, slotAt }, { claimedBy, at, mayOverlap }) =>
      (await sql.query(TAKE_QUEUED, [orgId, scheduleId, slotAt, claimedBy, at, mayOverlap])).length > 0,
    settleSlot: async ({ orgId, scheduleId, slotAt }, from, outcome) => {
      const runId = outcome.state === "started" ? outcome.runId : null;
      const reason = outcome.state === "started" ? null : outcome.reason;
      return (await sql.query(SETTLE, [orgId, scheduleId, slotAt, from, outcome.state, runId, reason])).length > 0;
    },
    listSlots: async (orgId, scheduleId, page) => {
      const before = decodeCursor(page.cursor)?.at ?? null;
      const rows = await lookUp(sql, LIST, [orgId, scheduleId, before, page.limit + 1]);
      return listed(SLOT.all(rows), page.limit, ({ slotAt }) => ({ at: slotAt, id: "" }));
    },
    pruneSlots: async (orgId, scheduleId, keep) => {
      await sql.query(PRUNE, [orgId, scheduleId, keep]);
    },
  };
}

const CURSOR = new Columns({ orgId: text, scheduleId: text, edition: text, lookedUntil: bigint });

const SLOT = new Columns({
  orgId: text,
  scheduleId: text,
  slotAt: bigint,
  state: oneOf<SlotState>(),
  workflow: text,
  runId: optional(text),
  reason: optional(text),
  claimedAt: bigint,
  claimedBy: text,
});

interface StandingRow {
  readonly edition: string | null;
  readonly looked_until: number | null;
  readonly open_at: number | null;
  readonly open_run: string | null;
  readonly queued: number;
}

const NOTHING: StandingRow = { edition: null, looked_until: null, open_at: null, open_run: null, queued: 0 };

/** Slots of a schedule that are being started or whose run is open. */
const OPEN_SLOTS = `select o.slot_at, o.run_id from schedule_slots o left join run_heads h on h.run_id = o.run_id
  where o.org_id = $1 and o.schedule_id = $2
    and (o.state = 'claimed' or (o.state = 'started' and h.status in ('queued', 'running', 'recovered')))`;

const CURSORS = {
  name: "schedule cursors",
  text: `select ${CURSOR.list()} from schedule_cursors where org_id = $1 order by schedule_id`,
};
const START_CURSOR = {
  name: "start schedule cursor",
  text: `insert into schedule_cursors (${CURSOR.list()}) values (${CURSOR.places})
    on conflict (org_id, schedule_id) do update set edition = excluded.edition,
      looked_until = case when schedule_cursors.edition = excluded.edition then schedule_cursors.looked_until
        else excluded.looked_until end
    returning ${CURSOR.list()}`,
};
const STANDING = {
  name: "schedule standing",
  text: `select c.edition, c.looked_until, o.slot_at as open_at, o.run_id as open_run,
      (select count(*) from schedule_slots q where q.org_id = $1 and q.schedule_id = $2 and q.state = 'queued') as queued
    from (select 1) as one
      left join schedule_cursors c on c.org_id = $1 and c.schedule_id = $2
      left join (${OPEN_SLOTS} order by o.slot_at desc limit 1) o on true`,
};
const CLAIM = {
  name: "claim schedule slots",
  text: `with moved as (
      update schedule_cursors set looked_until = $5
      where org_id = $1 and schedule_id = $2 and edition = $3 and looked_until = $4 returning org_id
    ),
    added as (
      insert into schedule_slots (${SLOT.list()})
      select $1, $2, s.slot_at, s.state, $6, null, s.reason, $8, $7
      from unnest($9::bigint[], $10::text[], $11::text[]) as s (slot_at, state, reason)
      where exists (select from moved)
      on conflict do nothing returning slot_at
    )
    select m.moved, a.slot_at from (select count(*) as moved from moved) m left join added a on true
    order by a.slot_at`,
};
const UNSETTLED = {
  name: "unsettled schedule slots",
  text: `select distinct on (org_id, schedule_id, state) ${SLOT.list()} from schedule_slots
    where state in ('claimed', 'queued') order by org_id, schedule_id, state, slot_at limit $1`,
};
const TAKE_CLAIMED = {
  name: "take claimed schedule slot",
  text: `update schedule_slots set claimed_by = $4, claimed_at = $5
    where org_id = $1 and schedule_id = $2 and slot_at = $3 and state = 'claimed' and claimed_at <= $6
    returning slot_at`,
};
const TAKE_QUEUED = {
  name: "take queued schedule slot",
  text: `update schedule_slots s set state = 'claimed', claimed_by = $4, claimed_at = $5
    where s.org_id = $1 and s.schedule_id = $2 and s.slot_at = $3 and s.state = 'queued'
      and not exists (select from schedule_slots e
        where e.org_id = $1 and e.schedule_id = $2 and e.slot_at < $3 and e.state = 'queued')
      and ($6::boolean or not exists (${OPEN_SLOTS}))
    returning s.slot_at`,
};
const SETTLE = {
  name: "settle schedule slot",
  text: `update schedule_slots set state = $5, run_id = $6, reason = $7
    where org_id = $1 and schedule_id = $2 and slot_at = $3
      and (state = $4 or ($5 = 'started' and state in ('skipped', 'refused')))
    returning slot_at`,
};
const LIST = {
  name: "list schedule slots",
  text: `select ${SLOT.list()} from schedule_slots
    where org_id = $1 and schedule_id = $2 and ($3::bigint is null or slot_at < $3)
    order by slot_at desc limit $4`,
};
const PRUNE = {
  name: "prune schedule slots",
  text: `delete from schedule_slots where org_id = $1 and schedule_id = $2 and state not in ('claimed', 'queued')
    and slot_at <= (select slot_at from schedule_slots where org_id = $1 and schedule_id = $2
      order by slot_at desc offset $3 limit 1)`,
};
