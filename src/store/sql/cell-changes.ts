import { arrayLiteral, type Sql } from "../sql.ts";
import { copyRows, keysIn, type Write } from "./copied-rows.ts";
import type { ComparedTable } from "../directory-store.ts";
import type { MovedTable } from "./moved-tables.ts";

/** Number of log entries read at once, and of keys compared in one statement. */
const LOG_ROWS = 5_000;
const KEYS_AT_ONCE = 500;

/** Both sides of a table, for the rows compared so far. */
interface Sides {
  readonly source: ComparedTable;
  readonly target: ComparedTable;
}

/**
 * Copies the settled rows of a table while the organisation runs. Rows that differ afterwards, because they were
 * changed meanwhile, are added to the log of changes: rows not in the log are the same on both sides.
 */
export async function copySettled(source: Sql, write: Write, table: MovedTable, orgId: string): Promise<void> {
  await copyRows(source, write, table, orgId, { share: "settled" }, async (target, range) => {
    const keys = [...(await keysIn(source, table, orgId, range)), ...(await keysIn(target, table, orgId, range))];
    await source.query(ADD, [orgId, table.name, arrayLiteral([...new Set(keys.map(plainKey))])]);
  });
}

/** Copies the rows in the log, and deletes entries whose rows are the same by then. Returns the number of entries, at most `LOG_ROWS`. */
export async function catchUp(
  source: Sql,
  write: Write,
  tables: readonly MovedTable[],
  orgId: string,
): Promise<number> {
  // The target is locked before the log is read, so that the log is complete for all that another process copied earlier.
  return write(async (target) => {
    const entries = await source.query<Entry>(READ, [orgId, 0, LOG_ROWS]);
    const done = await copyNamed(source, target, tables, orgId, entries);
    const ids = done.filter(isSame).flatMap((one) => one.ids);
    return { found: entries.length, ids };
  }).then(async ({ found, ids }) => {
    // Delete only entries that were read: an entry with a lower number may be committed later.
    if (ids.length > 0) await source.query(TAKE_OUT, [orgId, arrayLiteral(ids)]);
    return found;
  });
}

/** Copies all rows in the log, in one transaction of the target. The source is frozen. */
export async function copyChanges(
  source: Sql,
  target: Sql,
  tables: readonly MovedTable[],
  orgId: string,
): Promise<readonly Sides[]> {
  const compared: Sides[] = [];
  for (let after = 0; ;) {
    const entries = await source.query<Entry>(READ, [orgId, after, LOG_ROWS]);
    compared.push(...(await copyNamed(source, target, tables, orgId, entries)));
    after = entries.at(-1)?.id ?? 0;
    if (entries.length < LOG_ROWS) return compared;
  }
}

/** Records that all settled rows were copied while changes were logged. An older server that moves does not write this mark. */
export async function markCopied(source: Sql, orgId: string): Promise<void> {
  await source.query(ADD, [orgId, COPIED, arrayLiteral(["[]"])]);
}

export async function isMarkedCopied(source: Sql, orgId: string): Promise<boolean> {
  return (await source.query(FIND_MARK, [orgId, COPIED])).length > 0;
}

/** Marker used in place of a table name. */
const COPIED = "";

export async function forgetChanges(sql: Sql, orgId: string): Promise<void> {
  await sql.query(FORGET, [orgId]);
}

interface Entry {
  readonly id: number;
  readonly table_name: string;
  readonly row_key: string;
}

async function copyNamed(
  source: Sql,
  target: Sql,
  tables: readonly MovedTable[],
  orgId: string,
  entries: readonly Entry[],
): Promise<readonly (Sides & { readonly ids: readonly number[] })[]> {
  const compared: (Sides & { readonly ids: readonly number[] })[] = [];
  for (const table of tables) {
    const named = new Map<string, number[]>();
    for (const { id, table_name: name, row_key: key } of entries) {
      if (name === table.name) named.set(plainKey(key), [...(named.get(plainKey(key)) ?? []), id]);
    }
    const all = [...named];
    for (let from = 0; from < all.length; from += KEYS_AT_ONCE) {
      const some = all.slice(from, from + KEYS_AT_ONCE);
      const portion = { share: "settled", keys: some.map(([key]) => key) } as const;
      const sides = await copyRows(source, (work) => work(target), table, orgId, portion);
      compared.push({ ...sides, ids: some.flatMap(([, ids]) => ids) });
    }
  }
  return compared;
}

/** Normalises a key. Triggers and statements write the same key with different spaces. */
function plainKey(key: string): string {
  return JSON.stringify(JSON.parse(key));
}

function isSame({ source, target }: Sides): boolean {
  return source.rows === target.rows && source.digest === target.digest;
}

const ADD = {
  name: "add cell changes",
  text: "insert into cell_changes (org_id, table_name, row_key) select $1, $2, unnest($3::text[])",
};
const READ = {
  name: "read cell changes",
  text: "select id, table_name, row_key from cell_changes where org_id = $1 and id > $2 order by id limit $3",
};
const FIND_MARK = {
  name: "find mark of copied",
  text: "select from cell_changes where org_id = $1 and table_name = $2 limit 1",
};
const TAKE_OUT = {
  name: "take out cell changes",
  text: "delete from cell_changes where org_id = $1 and id = any($2::bigint[])",
};
const FORGET = { name: "forget cell changes", text: "delete from cell_changes where org_id = $1" };
