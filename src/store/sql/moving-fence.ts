import { createHash } from "node:crypto";
import type { Sql } from "../sql.ts";
import type { MovedTable } from "./moved-tables.ts";

/**
 * Keeps everything of an organisation in one database as it is: triggers that refuse changes of its rows. Making
 * one waits for the writers that are under way, so that once it is there nothing changes any more. Other organisations
 * pay for it only while it stands.
 */
export async function raiseFence(sql: Sql, tables: readonly MovedTable[], orgId: string): Promise<void> {
  for (const { name } of tables) {
    const standing = await sql.query<{ tgname: string }>(STANDING, [name]);
    for (const { trigger, events, row } of PARTS.map((part) => ({ ...part, trigger: triggerOf(orgId, part.row) }))) {
      if (standing.some(({ tgname }) => tgname === trigger)) continue;
      await sql.transaction(async (within) => {
        // Others that need this table wait behind us: give up soon, and try again.
        await within.query({ name: "", text: "set local lock_timeout = '2s'" });
        const text = `create trigger ${trigger} before ${events} on "${name}" for each row
          when (${row}.org_id = ${literal(orgId)}) execute function refuse_moving(${literal(orgId)})`;
        await within.query({ name: "", text });
      });
    }
  }
}

export async function lowerFence(sql: Sql, tables: readonly MovedTable[], orgId: string): Promise<void> {
  for (const { name } of tables) {
    const standing = new Set((await sql.query<{ tgname: string }>(STANDING, [name])).map(({ tgname }) => tgname));
    for (const { row } of PARTS) {
      if (!standing.has(triggerOf(orgId, row))) continue;
      await sql.transaction(async (within) => {
        await within.query({ name: "", text: "set local lock_timeout = '2s'" });
        await within.query({ name: "", text: `drop trigger if exists ${triggerOf(orgId, row)} on "${name}"` });
      });
    }
  }
}

/** Lets the transaction change what the fence protects. */
export async function passFence(within: Sql, orgId: string): Promise<void> {
  await within.query(PASS, [orgId]);
}

/** Sealed records go with their chain, which is whole where they went. */
const PASS = {
  name: "pass fence",
  text: "select set_config('sluice.moves', $1, true), set_config('sluice.prune', 'on', true)",
};

const PARTS = [
  { events: "insert or update", row: "new" },
  { events: "delete", row: "old" },
] as const;

const STANDING = {
  name: "triggers of a table",
  text: `select t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
    join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and c.relname = $1`,
};

function triggerOf(orgId: string, row: "new" | "old"): string {
  return `moving_${createHash("sha256").update(orgId, "utf8").digest("hex").slice(0, 16)}_${row}`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
