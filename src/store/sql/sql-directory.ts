import type { MoveStage } from "../../core/event/index.ts";
import type { CellMove, ComparedTable, DirectoryStore } from "../directory-store.ts";
import { arrayLiteral, NOW_MS, type Sql } from "../sql.ts";
import { bigint, Columns, oneOf, optional, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

/** The directory of cells, stored in an SQL database. */
export function createDirectory(sql: Sql): DirectoryStore {
  return {
    cellOf: async (orgId) => (await lookUp<{ cell: string | null }>(sql, CELL, [orgId]))[0]?.cell ?? null,
    listPlaced: async () => PLACED.all(await sql.query(LIST_PLACED)),
    place: async (orgId, cell) => (await sql.query<{ cell: string }>(PLACE, [orgId, cell]))[0]?.cell ?? cell,
    claim: async (claims) => {
      if (claims.length === 0) return;
      const columns = [
        claims.map(({ kind }) => kind),
        claims.map(({ hash }) => hash),
        claims.map(({ orgId }) => orgId),
      ];
      await sql.query(CLAIM, columns.map(arrayLiteral));
    },
    organisationsOf: async (kind, hash) =>
      (await lookUp<{ org_id: string }>(sql, OWNERS, [kind, hash])).map((row) => row.org_id),
    openMove: async ({ id, orgId, source, target, askedBy }) =>
      (await sql.query(OPEN_MOVE, [id, orgId, source, target, askedBy])).length > 0,
    getMove: async (moveId) => MOVE.first(await lookUp(sql, GET_MOVE, [moveId])),
    listMoves: async (limit) => MOVE.all(await sql.query(LIST_MOVES, [limit])),
    openMoves: async () => MOVE.all(await sql.query(OPEN_MOVES)),
    recentMoves: async (since) => MOVE.all(await sql.query(RECENT_MOVES, [since])),
    advanceMove: async (moveId, from, { stage, reason = null, tables = null }) => {
      const compared = tables === null ? null : JSON.stringify(tables);
      return (await sql.query(ADVANCE, [moveId, from, stage, reason, compared])).length > 0;
    },
    switchMove: (move) =>
      sql.transaction(async (within) => {
        await within.query(SWITCH, [move.orgId, move.target]);
        return (await within.query(ADVANCE, [move.id, move.stage, "removing", null, null])).length > 0;
      }),
  };
}

const PLACED = new Columns({ orgId: text, name: optional(text), cell: text });
const MOVE = new Columns({
  id: text,
  orgId: text,
  source: text,
  target: text,
  stage: oneOf<MoveStage>(),
  reason: optional(text),
  tables: optional(parsed<readonly ComparedTable[]>()),
  askedBy: optional(text),
  createdAt: bigint,
  updatedAt: bigint,
  frozenAt: optional(bigint),
  switchedAt: optional(bigint),
} satisfies { readonly [K in keyof CellMove]: unknown });

const CELL = { name: "cell of organisation", text: "select cell from organisations where org_id = $1" };
const LIST_PLACED = {
  name: "list placed organisations",
  text: `select ${PLACED.list()} from organisations where cell is not null order by org_id`,
};
const PLACE = {
  name: "place organisation",
  text: `insert into organisations (org_id, created_at, cell) values ($1, ${NOW_MS}, $2)
    on conflict (org_id) do update set cell = coalesce(organisations.cell, excluded.cell) returning cell`,
};
const CLAIM = {
  name: "claim credentials",
  text: `insert into credential_organisations (kind, hash, org_id)
    select * from unnest($1::text[], $2::text[], $3::text[]) on conflict do nothing`,
};
const OWNERS = {
  name: "organisations of a credential",
  text: "select org_id from credential_organisations where kind = $1 and hash = $2 order by org_id limit 20",
};

const OPEN_STAGES = "stage not in ('done', 'failed')";
const OPEN_MOVE = {
  name: "open move",
  text: `insert into cell_moves (id, org_id, source, target, stage, asked_by, created_at, updated_at)
    values ($1, $2, $3, $4, 'copying', $5, ${NOW_MS}, ${NOW_MS})
    on conflict (org_id) where ${OPEN_STAGES} do nothing returning id`,
};
const GET_MOVE = { name: "get move", text: `select ${MOVE.list()} from cell_moves where id = $1` };
const LIST_MOVES = {
  name: "list moves",
  text: `select ${MOVE.list()} from cell_moves order by created_at desc, id desc limit $1`,
};
const OPEN_MOVES = {
  name: "open moves",
  text: `select ${MOVE.list()} from cell_moves where ${OPEN_STAGES} order by created_at, id`,
};
const RECENT_MOVES = {
  name: "recent moves",
  text: `select ${MOVE.list()} from cell_moves where ${OPEN_STAGES} or updated_at >= $1 order by created_at, id`,
};
const ADVANCE = {
  name: "advance move",
  text: `update cell_moves set stage = $3, reason = coalesce($4, reason), tables = coalesce($5, tables), updated_at = ${NOW_MS},
      frozen_at = case when $3 = 'freezing' then coalesce(frozen_at, ${NOW_MS}) else frozen_at end,
      switched_at = case when $3 = 'removing' then coalesce(switched_at, ${NOW_MS}) else switched_at end
    where id = $1 and stage = $2 returning id`,
};
const SWITCH = { name: "switch organisation", text: "update organisations set cell = $2 where org_id = $1" };
