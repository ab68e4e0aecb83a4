import { createHash } from "node:crypto";
import type { Sql } from "../sql.ts";
import type { MovedTable } from "./moved-tables.ts";

/**
 * Freezes the rows of an organisation in one database, by triggers that reject changes. Creating a trigger waits for
 * active writers, so nothing changes once it exists. Other organisations are slowed only while the triggers exist.
 */
export function raiseFence(sql: Sql, tables: readonly MovedTable[], orgId: string): Promise<void> {
  return raise(sql, tables, orgId, { name: "refuse", fires: "before", calls: "refuse_moving", given: () => [] });
}

/** Starts logging: every changed settled row of the organisation is recorded in `cell_changes`. */
export function logChanges(sql: Sql, tables: readonly MovedTable[], orgId: string): Promise<void> {
  return raise(sql, settledOf(tables), orgId, {
    name: "log",
    fires: "after",
    calls: "log_moving",
    given: ({ name, key }) => [name, ...key.map(({ column }) => column)],
  });
}

/** Lets only the move change settled rows of the organisation in the target, until it has arrived. */
export function guardArrival(sql: Sql, tables: readonly MovedTable[], orgId: string): Promise<void> {
  const kind = { name: "guard", fires: "before", calls: "refuse_arriving", given: () => [] } as const;
  return raise(sql, settledOf(tables), orgId, kind);
}

/** Drops all of these triggers that exist. */
export async function lowerFence(sql: Sql, tables: readonly MovedTable[], orgId: string): Promise<void> {
  const standing = await standingIn(sql, orgId);
  for (const { name } of tables) {
    const found = standing.get(name) ?? [];
    if (found.length === 0) continue;
    await sql.transaction(async (within) => {
      await within.query(SOON);
      for (const trigger of found)
        await within.query({ name: "", text: `drop trigger if exists ${trigger} on "${name}"` });
    });
  }
}

function settledOf(tables: readonly MovedTable[]): readonly MovedTable[] {
  return tables.filter(({ settled }) => settled !== null);
}

interface Kind {
  readonly name: string;
  readonly fires: "before" | "after";
  readonly calls: string;
  /** Arguments of the trigger function besides the organisation. */
  readonly given: (table: MovedTable) => readonly string[];
}

async function raise(sql: Sql, tables: readonly MovedTable[], orgId: string, kind: Kind): Promise<void> {
  const standing = await standingIn(sql, orgId);
  for (const table of tables) {
    const args = [orgId, ...kind.given(table)].map(literal).join(", ");
    const parts = PARTS.map((part) => ({ ...part, trigger: `${markOf(orgId)}${kind.name}_${part.row}` }));
    const lacking = parts.filter(({ trigger }) => standing.get(table.name)?.includes(trigger) !== true);
    if (lacking.length === 0) continue;
    await sql.transaction(async (within) => {
      await within.query(SOON);
      for (const { trigger, events, row } of lacking) {
        // Replaces one that a second server has created since it was looked for.
        const text = `create or replace trigger ${trigger} ${kind.fires} ${events} on "${table.name}" for each row
          when (${row}.org_id = ${literal(orgId)}) execute function ${kind.calls}(${args})`;
        await within.query({ name: "", text });
      }
    });
  }
}

/** Returns the triggers for an organisation that is being moved, by table. */
async function standingIn(sql: Sql, orgId: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const { name, trigger } of await sql.query<{ name: string; trigger: string }>(STANDING)) {
    if (trigger.startsWith(markOf(orgId))) found.set(name, [...(found.get(name) ?? []), trigger]);
  }
  return found;
}

/** Other statements that need this table queue behind our lock request, so give up soon and try again. */
const SOON = { name: "", text: "set local lock_timeout = '2s'" };

/** Lets the transaction change rows that the fence protects. */
export async function passFence(within: Sql, orgId: string): Promise<void> {
  await within.query(PASS, [orgId]);
}

/** Also permits deleting sealed records: the whole chain exists in the cell it was moved to. */
const PASS = {
  name: "pass fence",
  text: "select set_config('sluice.moves', $1, true), set_config('sluice.prune', 'on', true)",
};

const PARTS = [
  { events: "insert or update", row: "new" },
  { events: "delete", row: "old" },
] as const;

const STANDING = {
  name: "triggers of moves",
  text: `select c.relname as name, t.tgname as trigger from pg_trigger t join pg_class c on c.oid = t.tgrelid
    join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and t.tgname like 'moving%'`,
};

function markOf(orgId: string): string {
  return `moving_${createHash("sha256").update(orgId, "utf8").digest("hex").slice(0, 16)}_`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
