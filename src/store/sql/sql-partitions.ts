import type { PartitionStore } from "../partition-store.ts";
import { NOW_MS, type Sql, type Statement } from "../sql.ts";
import { sqlState } from "./sql-state.ts";
import { firstIdOf, firstMsOf, weekAt } from "./run-week.ts";

/** A partitioned table, its partition column, and a function for the lowest value of that column in a week. */
interface Table {
  readonly name: string;
  readonly key: string;
  readonly firstOf: (week: number) => string;
  /** Number of weeks in each partition. */
  readonly weeks: number;
}

const TABLES: readonly Table[] = [
  { name: "event_blocks", key: "run_id", firstOf: firstIdOf, weeks: 1 },
  { name: "verdict_blocks", key: "run_id", firstOf: firstIdOf, weeks: 1 },
  // Audit records are kept for a year, in blocks.
  { name: "audit_blocks_timed", key: "at", firstOf: firstMsOf, weeks: 4 },
];

/** Number of partitions made in advance. */
const AHEAD = 2;
/** Maximum size of the default partition when one is attached directly: attaching scans the default partition while commits wait. */
const READ_BYTES_MAX = 64 * 1_048_576;
/** Maximum number of rows moved while commits wait. */
const MOVED_ROWS_MAX = 50_000;
/** A partition is dropped when it has fewer rows than its bytes divided by this: about a tenth of the original number. */
const BYTES_PER_ROW = 10_000;

export function sqlPartitions(sql: Sql): PartitionStore {
  return {
    makePartitions: async (now) => {
      for (const table of TABLES) await makePartitions(sql, table, weekAt(now));
    },
    dropPartitions: async (now) => {
      const dropped: string[] = [];
      for (const table of TABLES) dropped.push(...(await dropPartitions(sql, table, weekAt(now))));
      return dropped;
    },
  };
}

/** Errors that leave the work to a later round: a lock that is not free soon, or no permission to create tables. */
const DEFERRED_STATES: ReadonlySet<string> = new Set(["55P03", "42501"]);

/** Makes partitions before the first run, so that the run is stored in its own. The rounds retry and report obstacles. */
export async function makeFirstPartitions(sql: Sql): Promise<void> {
  const [row] = await sql.query<{ now: number }>(plain(`select ${NOW_MS} as now`));
  try {
    await sqlPartitions(sql).makePartitions(row?.now ?? 0);
  } catch (error) {
    if (!DEFERRED_STATES.has(sqlState(error))) throw error;
  }
}

function plain(text: string): Statement {
  return { name: "", text };
}

interface Partition {
  readonly name: string;
  /** Upper bound of its run ids, exclusive; null for the default partition. */
  readonly end: string | null;
  readonly bytes: number;
}

const PARTITIONS = {
  name: "partitions",
  text: `select c.relname::text as name, substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\(''(.*)''\\)') as "end",
      (select coalesce(sum(pg_table_size(t.relid)), 0)::bigint from pg_partition_tree(c.oid) t) as bytes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass($1) order by c.relname`,
};

function partitionsOf(sql: Sql, table: Table): Promise<readonly Partition[]> {
  return sql.query<Partition>(PARTITIONS, [table.name]);
}

/** Only one process at a time changes partitions. The list it has read stays valid until it has finished. */
const TURN = plain("select version from schema_migrations where version = 48 for update");
/** A statement that cannot lock its tables soon gives up, before commits queue behind it. The next round tries again. */
const SOON = plain("set local lock_timeout = '1s'");

function inTurn<T>(sql: Sql, table: Table, work: (within: Sql, found: readonly Partition[]) => Promise<T>): Promise<T> {
  return sql.transaction(async (within) => {
    await within.query(TURN);
    await within.query(SOON);
    return work(within, await partitionsOf(within, table));
  });
}

async function makePartitions(sql: Sql, table: Table, thisWeek: number): Promise<void> {
  const found = await partitionsOf(sql, table);
  const first = `${table.name}_first`;
  if (found.some(({ name, end }) => name === first && end === null)) await boundFirstPartition(sql, table, thisWeek);
  const begun = thisWeek - (thisWeek % table.weeks);
  for (let week = begun; week <= begun + AHEAD * table.weeks; week += table.weeks) {
    if (!found.some(({ name }) => name === nameOf(table, week))) await makeWeek(sql, table, week, begun);
  }
}

function nameOf({ name }: Table, week: number): string {
  return `${name}_w${week}`;
}

function isWithin({ key, firstOf, weeks }: Table, week: number): string {
  return `${key} >= '${firstOf(week)}' and ${key} < '${firstOf(week + weeks)}'`;
}

/**
 * Turns the table from before partitioning into the partition for all time until next week. The scan that this requires runs
 * while the table is in use; only then the table is attached again, which takes no time. If interrupted, it starts over.
 */
async function boundFirstPartition(sql: Sql, table: Table, thisWeek: number): Promise<void> {
  const first = `${table.name}_first`;
  const end = table.firstOf(thisWeek + 1);
  if (await holdsRows(sql, first, `${table.key} >= '${end}'`)) return;
  await inTurn(sql, table, (within) => addPendingCheck(within, first, `${table.key} < '${end}'`));
  await sql.query(plain(`alter table ${first} validate constraint promised`));
  await inTurn(sql, table, async (within, found) => {
    if (!found.some(({ name, end: closed }) => name === first && closed === null)) return;
    await within.query(plain(`alter table ${table.name} detach partition ${first}`));
    await within.query(
      plain(`alter table ${table.name} attach partition ${first} for values from (minvalue) to ('${end}')`),
    );
    await within.query(plain(`create table ${table.name}_default partition of ${table.name} default`));
    await within.query(plain(`alter table ${first} drop constraint promised`));
  });
}

/** Adds a constraint that new rows must satisfy. Existing rows are checked later. */
async function addPendingCheck(sql: Sql, partition: string, condition: string): Promise<void> {
  await sql.query(plain(`alter table ${partition} drop constraint if exists promised`));
  await sql.query(plain(`alter table ${partition} add constraint promised check (${condition}) not valid`));
}

async function holdsRows(sql: Sql, partition: string, condition: string): Promise<boolean> {
  return (await sql.query(plain(`select 1 as found from ${partition} where ${condition} limit 1`))).length > 0;
}

/** Makes the partition of a week. A week that already has rows in the default partition stays there. */
async function makeWeek(sql: Sql, table: Table, week: number, thisWeek: number): Promise<void> {
  const rest = (await partitionsOf(sql, table)).find(({ end }) => end === null);
  if (rest === undefined) return;
  const within = isWithin(table, week);
  const isLarge = rest.bytes > READ_BYTES_MAX;
  if (isLarge) {
    if (week === thisWeek || (await holdsRows(sql, rest.name, within))) return;
    await inTurn(sql, table, (turn) => addPendingCheck(turn, rest.name, `not (${within})`));
    await sql.query(plain(`alter table ${rest.name} validate constraint promised`));
  }
  const [from, to] = [table.firstOf(week), table.firstOf(week + table.weeks)];
  await inTurn(sql, table, async (turn, found) => {
    const name = nameOf(table, week);
    const isOfFirst = ({ name: other, end }: Partition): boolean =>
      other === `${table.name}_first` && end !== null && end > from;
    const isTaken = found.some((one) => one.name === name || isOfFirst(one));
    if (isTaken || (await holdsRows(turn, rest.name, within))) return;
    await turn.query(plain(`create table ${name} (like ${table.name} including all excluding indexes)`));
    const values = `for values from ('${from}') to ('${to}')`;
    await turn.query(plain(`alter table ${table.name} attach partition ${name} ${values}`));
  });
  if (isLarge) await sql.query(plain(`alter table ${rest.name} drop constraint if exists promised`));
}

async function dropPartitions(sql: Sql, table: Table, thisWeek: number): Promise<readonly string[]> {
  const over = table.firstOf(thisWeek);
  const dropped: string[] = [];
  for (const { name, end, bytes } of await partitionsOf(sql, table)) {
    if (end === null || end > over || !(await isNearlyEmpty(sql, name, bytes))) continue;
    const isGone = await inTurn(sql, table, async (within, found) => {
      if (!found.some((one) => one.name === name)) return false;
      await within.query(plain(`alter table ${table.name} detach partition ${name}`));
      // Rows that must be kept longer move to the default partition.
      await within.query(plain(`insert into ${table.name} select * from ${name}`));
      await within.query(plain(`drop table ${name}`));
      return true;
    });
    if (isGone) dropped.push(name);
  }
  return dropped;
}

async function isNearlyEmpty(sql: Sql, name: string, bytes: number): Promise<boolean> {
  const few = Math.min(MOVED_ROWS_MAX, Math.floor(bytes / BYTES_PER_ROW));
  const [found] = await sql.query<{ rows: number }>(
    plain(`select count(*)::int as rows from (select 1 from ${name} limit ${few + 1}) left_over`),
  );
  return (found?.rows ?? 0) <= few;
}
