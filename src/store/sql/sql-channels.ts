import type { ChannelStore, TicketState } from "../channel-store.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import { nextSendSlot } from "../send-slot.ts";
import type { TargetKey } from "../webhook-store.ts";
import { bigint, Columns, oneOf, optional, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlChannels(sql: Sql): ChannelStore {
  return {
    takeSendSlot: (target, perMinute) => sql.transaction((within) => takeSendSlot(within, target, perMinute)),
    addPosting: async (posting) => {
      await sql.query(ADD_POSTING, POSTING.values(posting));
    },
    listPostings: async (orgId, targetId, approvalId) =>
      POSTING.all(await lookUp(sql, LIST_POSTINGS, [orgId, targetId, approvalId])),
    findChannels: async (name, limit) =>
      (await lookUp<{ org_id: string }>(sql, FIND, [name, limit])).map((row) => row.org_id),
    addTicket: async (ticket, ttlMs) => {
      await sql.query(ADD_TICKET, [...NEW_TICKET.values(ticket), ttlMs]);
    },
    getTicket: async (hash) => TICKET.first(await lookUp(sql, GET_TICKET, [hash])),
    holdTicket: async (hash, leaseMs) => (await lookUp(sql, HOLD_TICKET, [hash, leaseMs])).length > 0,
    closeTicket: async (hash, isUsed) => {
      await sql.query(CLOSE_TICKET, [hash, isUsed]);
    },
    pruneTickets: async (before, limit) => (await sql.query(PRUNE_TICKETS, [before, limit])).length,
  };
}

const BEGIN_TURNS = {
  name: "begin channel turns",
  text: `insert into channel_turns (org_id, target_id, taken) values ($1, $2, '[]') on conflict do nothing`,
};
const LOCK_TURNS = {
  name: "lock channel turns",
  text: `select taken, ${NOW_MS} as now from channel_turns where org_id = $1 and target_id = $2 for update`,
};
const WRITE_TURNS = {
  name: "write channel turns",
  text: "update channel_turns set taken = $3 where org_id = $1 and target_id = $2",
};

/** Exact for every 60 seconds, not only for calendar minutes, because the times of the last minute's messages are kept. */
async function takeSendSlot(sql: Sql, { orgId, targetId }: TargetKey, perMinute: number): Promise<number> {
  await sql.query(BEGIN_TURNS, [orgId, targetId]);
  const [row] = await sql.query<{ taken: string; now: number }>(LOCK_TURNS, [orgId, targetId]);
  const { taken = "[]", now = 0 } = row ?? {};
  const { wait, after } = nextSendSlot(JSON.parse(taken) as readonly number[], perMinute, now);
  if (wait === 0) await sql.query(WRITE_TURNS, [orgId, targetId, JSON.stringify(after)]);
  return wait;
}

const POSTING = new Columns({ orgId: text, targetId: text, approvalId: text, place: text, id: text });
const ADD_POSTING = {
  name: "add channel posting",
  text: `insert into channel_postings (${POSTING.list()}, at) values (${POSTING.places}, ${NOW_MS})
    on conflict do nothing`,
};
const LIST_POSTINGS = {
  name: "list channel postings",
  text: `select ${POSTING.list()} from channel_postings
    where org_id = $1 and target_id = $2 and approval_id = $3 order by at, id`,
};
const FIND = {
  name: "find channels",
  text: "select org_id from registry where kind = 'channel' and id = $1 order by org_id limit $2",
};

const NEW_TICKET = new Columns({
  hash: text,
  orgId: text,
  approvalId: text,
  channel: text,
  personId: optional(text),
  address: text,
  name: text,
});
const TICKET = new Columns({ ...NEW_TICKET.fields, expiresAt: bigint, state: oneOf<TicketState>() });
const ADD_TICKET = {
  name: "add approval ticket",
  text: `insert into approval_tickets (${NEW_TICKET.list()}, created_at, expires_at)
    values (${NEW_TICKET.places}, ${NOW_MS}, ${NOW_MS} + $${NEW_TICKET.count + 1}::bigint)`,
};
const GET_TICKET = {
  name: "get approval ticket",
  text: `select ${NEW_TICKET.list()}, expires_at, case when used_at is not null then 'used'
      when expires_at <= ${NOW_MS} then 'expired' else 'open' end as state
    from approval_tickets where hash = $1`,
};
const HOLD_TICKET = {
  name: "hold approval ticket",
  text: `update approval_tickets set held_until = ${NOW_MS} + $2::bigint
    where hash = $1 and used_at is null and expires_at > ${NOW_MS} and held_until <= ${NOW_MS} returning hash`,
};
const CLOSE_TICKET = {
  name: "close approval ticket",
  text: `update approval_tickets set held_until = 0, used_at = case when $2 then ${NOW_MS} end
    where hash = $1 and used_at is null`,
};
const PRUNE_TICKETS = {
  name: "prune approval tickets",
  skipsMovingOrganisation: true,
  text: `delete from approval_tickets where hash in (
      select hash from approval_tickets where expires_at < $1 order by expires_at limit $2)
    returning hash`,
};
