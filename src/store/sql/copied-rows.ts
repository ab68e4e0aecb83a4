import type { ComparedTable } from "../directory-store.ts";
import type { Sql, SqlScalar } from "../sql.ts";
import type { MovedTable } from "./moved-tables.ts";

/** Number of rows compared at once. */
const CHUNK_ROWS = 2_000;
/** Maximum bytes copied in one statement. The first row may exceed it. */
const CHUNK_BYTES = 4_194_304;
const DELETED_ROWS = 5_000;

/** Selects rows: `settled` by the table's condition, `rest` all others. `keys` restricts them to these keys, each a JSON array. */
export interface Portion {
  readonly share: "all" | "settled" | "rest";
  readonly keys?: readonly string[];
}

interface Range extends Portion {
  /** Exclusive; null starts at the first row. */
  readonly after: readonly SqlScalar[] | null;
  /** Inclusive; null ends at the last row. */
  readonly until: readonly SqlScalar[] | null;
}

interface Counted {
  readonly rows: number;
  readonly digest: string;
}

interface Chunk extends Range, Counted {}

const EVERYTHING: Range = { share: "all", after: null, until: null };

/** Writes to the target: each call is a transaction that is committed only if the organisation is still arriving. */
export type Write = <T>(work: (target: Sql) => Promise<T>) => Promise<T>;

/** Rows and digests of both sides after a table was copied, each counted in its own database. */
interface CopiedTable {
  readonly source: ComparedTable;
  readonly target: ComparedTable;
}

/**
 * Makes the rows of an organisation in the target equal to the source. Both sides are compared by count and digest,
 * chunk by chunk in key order, and only differing chunks are written. So the copy can continue after an interruption,
 * and finds later changes. Keys sort the same in every database, so the chunks cover the whole table on both sides: if
 * nothing changes meanwhile, the two sums verify it. A chunk that still differs after it was written is passed to
 * `onDiffering`, in the same transaction of the target.
 */
export async function copyRows(
  source: Sql,
  write: Write,
  table: MovedTable,
  orgId: string,
  portion: Portion,
  onDiffering: (target: Sql, range: Range) => Promise<void> = () => Promise.resolve(),
): Promise<CopiedTable> {
  const here = new Sum();
  const there = new Sum();
  let chunk: Chunk | null = await nextChunk(source, table, orgId, { ...portion, after: null, until: null });
  while (chunk !== null) {
    const matched: Chunk = chunk;
    here.add(matched);
    // One database reads the next chunk while the other compares this one.
    const [following, written] = await Promise.all([
      matched.until === null
        ? null
        : nextChunk(source, table, orgId, { ...portion, after: matched.until, until: null }),
      write(async (target) => {
        const counted = await match(source, target, table, orgId, matched);
        if (!isSame(counted, matched)) await onDiffering(target, matched);
        return counted;
      }),
    ]);
    there.add(written);
    chunk = following;
  }
  return { source: here.of(table), target: there.of(table) };
}

/** Sum of the rows and digests of chunks, which equals those of the whole table. */
class Sum {
  #rows = 0;
  #digest = 0n;

  add({ rows, digest }: Counted): void {
    this.#rows += rows;
    this.#digest += BigInt(digest);
  }

  of({ name }: MovedTable): ComparedTable {
    return { table: name, rows: this.#rows, digest: this.#digest.toString(16) };
  }
}

/** Returns rows and digest of a whole table. The digest does not depend on the order of the rows. */
export async function compareRows(sql: Sql, table: MovedTable, orgId: string): Promise<ComparedTable> {
  const { rows, digest } = await digestOf(sql, table, orgId, EVERYTHING);
  return { table: table.name, rows, digest: BigInt(digest).toString(16) };
}

/** Deletes rows in small transactions, in the order of their keys. `begin` prepares each transaction. */
export async function removeRows(
  sql: Sql,
  table: MovedTable,
  orgId: string,
  begin: (within: Sql) => Promise<void>,
): Promise<void> {
  let gone = 0;
  let after: readonly SqlScalar[] | null = null;
  do {
    const rest: Range = { ...EVERYTHING, after };
    after = await sql.transaction(async (within) => {
      await begin(within);
      // A range of the key is read once, however many rows the table has, and however the database plans it.
      const until = await endOfPage(within, table, orgId, rest);
      const where = whereOf(table, { ...rest, until });
      const text = `delete from ${quoted(table.name)} where ${where.text} returning 1 as gone`;
      gone += (await within.query({ name: "", text }, [orgId, ...where.params])).length;
      return until;
    });
  } while (after !== null);
  // What another process wrote meanwhile, which had not yet seen that the move is over.
  if (gone >= DELETED_ROWS) await removeRows(sql, table, orgId, begin);
}

/** Returns the key of the last row that is deleted with the first one; null when all that are left may be. */
async function endOfPage(
  sql: Sql,
  table: MovedTable,
  orgId: string,
  rest: Range,
): Promise<readonly SqlScalar[] | null> {
  if (table.key.length === 0) return null;
  const where = whereOf(table, rest);
  const text = `select ${keyJson(table)} as key from ${quoted(table.name)} where ${where.text}
    order by ${orderOf(table)} offset ${DELETED_ROWS - 1} limit 1`;
  const [last] = await sql.query<{ key: string }>({ name: "", text }, [orgId, ...where.params]);
  return last === undefined ? null : (JSON.parse(last.key) as SqlScalar[]);
}

/** Makes a range of the target equal to the source. Returns the target's count and digest afterwards. */
async function match(source: Sql, target: Sql, table: MovedTable, orgId: string, chunk: Chunk): Promise<Counted> {
  const there = await digestOf(target, table, orgId, chunk);
  if (isSame(there, chunk)) return there;
  const where = whereOf(table, chunk);
  await target.query({ name: "", text: `delete from ${quoted(table.name)} where ${where.text}` }, [
    orgId,
    ...where.params,
  ]);
  let range: Range | null = chunk;
  while (range !== null) range = await copyPage(source, target, table, orgId, range);
  return digestOf(target, table, orgId, chunk);
}

function isSame(left: Counted, right: Counted): boolean {
  return left.rows === right.rows && left.digest === right.digest;
}

/** Returns the keys of the rows in a range, each a JSON array. */
export async function keysIn(sql: Sql, table: MovedTable, orgId: string, range: Range): Promise<readonly string[]> {
  const where = whereOf(table, range);
  const text = `select ${keyJson(table)} as key from ${quoted(table.name)} where ${where.text}`;
  const rows = await sql.query<{ key: string }>({ name: "", text }, [orgId, ...where.params]);
  return rows.map(({ key }) => key);
}

/** Copies one page. Returns the rest of the range; null when nothing is left. */
async function copyPage(
  source: Sql,
  target: Sql,
  table: MovedTable,
  orgId: string,
  range: Range,
): Promise<Range | null> {
  const columns = table.columns.map(quoted).join(", ");
  const order = orderOf(table);
  const where = whereOf(table, range);
  const bound = table.key.length === 0 ? "" : `order by ${order} limit ${CHUNK_ROWS}`;
  const running = table.key.length === 0 ? "0" : `sum(pg_column_size(t)) over (order by ${order}) - pg_column_size(t)`;
  const text = `with page as (
      select ${columns}, ${running} as before_it from ${quoted(table.name)} t where ${where.text} ${bound}
    ), fitting as (select ${columns} from page where before_it <= ${CHUNK_BYTES})
    select count(*)::int as rows, coalesce(json_agg(row_to_json(f)), '[]')::text as body,
      (select ${keyJson(table)} from fitting order by ${orderOf(table, "desc")} limit 1) as last,
      (select count(*)::int from page) as found from fitting f`;
  const [page] = await source.query<{ rows: number; body: string; last: string | null; found: number }>(
    { name: "", text },
    [orgId, ...where.params],
  );
  if (page === undefined || page.rows === 0) return null;
  const insert = `insert into ${quoted(table.name)} (${columns})
    select ${columns} from json_populate_recordset(null::${quoted(table.name)}, $1::json)`;
  await target.query({ name: "", text: insert }, [page.body]);
  const isWhole = table.key.length === 0 || (page.rows === page.found && page.found < CHUNK_ROWS);
  return isWhole || page.last === null ? null : { ...range, after: JSON.parse(page.last) as SqlScalar[] };
}

/** Returns the next chunk. A table without a key is small, and is one chunk. */
async function nextChunk(sql: Sql, table: MovedTable, orgId: string, rest: Range): Promise<Chunk> {
  if (table.key.length === 0) return { ...rest, ...(await digestOf(sql, table, orgId, rest)) };
  const where = whereOf(table, rest);
  const text = `with page as (
      select t.* from ${quoted(table.name)} t where ${where.text} order by ${orderOf(table)} limit ${CHUNK_ROWS}
    ) select count(*)::int as rows, ${digestSum(table, "page")} as digest,
      (select ${keyJson(table)} from page order by ${orderOf(table, "desc")} limit 1) as last from page`;
  const [found] = await sql.query<{ rows: number; digest: string; last: string | null }>({ name: "", text }, [
    orgId,
    ...where.params,
  ]);
  const { rows = 0, digest = "0", last = null } = found ?? {};
  const until = rows < CHUNK_ROWS || last === null ? null : (JSON.parse(last) as SqlScalar[]);
  return { ...rest, rows, digest, until };
}

async function digestOf(sql: Sql, table: MovedTable, orgId: string, range: Range): Promise<Counted> {
  const where = whereOf(table, range);
  const text = `select count(*)::int as rows, ${digestSum(table, "t")} as digest from ${quoted(table.name)} t
    where ${where.text}`;
  const [found] = await sql.query<{ rows: number; digest: string }>({ name: "", text }, [orgId, ...where.params]);
  return found ?? { rows: 0, digest: "0" };
}

/** Returns an expression for the sum of the row hashes, 60 bits each, so that tables with different rows almost never agree. */
function digestSum({ columns }: MovedTable, from: string): string {
  const row = `row(${columns.map((column) => `${from}.${quoted(column)}`).join(", ")})::text`;
  return `coalesce(sum(('x' || substr(md5(${row}), 1, 15))::bit(60)::bigint), 0)::text`;
}

function whereOf(
  { key, settled }: MovedTable,
  { share, keys, after, until }: Range,
): { readonly text: string; readonly params: SqlScalar[] } {
  const columns = key.map(({ column }) => quoted(column)).join(", ");
  const params: SqlScalar[] = [];
  const bound = (operator: string, values: readonly SqlScalar[]): string => {
    const places = key.map(({ type }, index) => {
      params.push(values[index] ?? null);
      return `$${params.length + 1}::${type}`;
    });
    return ` and (${columns}) ${operator} (${places.join(", ")})`;
  };
  const from = after === null ? "" : bound(">", after);
  const to = until === null ? "" : bound("<=", until);
  const among = (): string => {
    if (keys === undefined) return "";
    params.push(`[${keys.join(",")}]`);
    const values = key.map(({ type }, index) => `(k ->> ${index})::${type}`).join(", ");
    return ` and (${columns}) in (select ${values} from json_array_elements($${params.length + 1}::json) k)`;
  };
  const isSettled = settled ?? "false";
  const ofShare = { all: "", settled: ` and (${isSettled})`, rest: ` and not (${isSettled})` }[share];
  return { text: `org_id = $1${ofShare}${from}${to}${among()}`, params };
}

function orderOf({ key }: MovedTable, direction = ""): string {
  return key.length === 0 ? "1" : key.map(({ column }) => `${quoted(column)} ${direction}`).join(", ");
}

function keyJson({ key }: MovedTable): string {
  return key.length === 0
    ? "null::text"
    : `json_build_array(${key.map(({ column }) => quoted(column)).join(", ")})::text`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
