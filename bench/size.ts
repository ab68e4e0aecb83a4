/**
 * `npm run bench -- --size N`: what a governed run of ten nodes leaves in Postgres when it has ended, by table: bytes on
 * the disk with indexes, after its audit was sealed and its words were read, and bytes of write-ahead log. Tables are
 * vacuumed after each round, as a server does by itself.
 */
import { AuditTrail } from "../src/audit/index.ts";
import type { Sql } from "../src/store/index.ts";
import { openBenchPostgres } from "./database.ts";
import { openGoverned } from "./governed.ts";
import { DIAMOND, DIAMOND_NODES, measureThroughput, ORG, prepare } from "./runtime.ts";
import { walPosition } from "./storage.ts";

const CONCURRENT = 50;
/** Runs end, are read and sealed, and what they no longer need is cleaned up, as it goes on in a server: in so many rounds. */
const ROUNDS = 10;
/** What a run may leave, and what it may write meanwhile. */
const RUN_BYTES_MAX = 15_000;
const WAL_BYTES_MAX = 25_000;
const SEED = "0e".repeat(32);

const SIZES = `select coalesce(p.inhparent::regclass, c.oid::regclass)::text as name, sum(pg_total_relation_size(c.oid))::bigint as bytes
  from pg_class c left join pg_inherits p on p.inhrelid = c.oid join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname = 'public' group by 1`;

interface Size {
  readonly name: string;
  readonly bytes: number;
}

async function sizesOf(sql: Sql): Promise<ReadonlyMap<string, number>> {
  await sql.query({ name: "", text: "vacuum" });
  const rows = await sql.query<Size>({ name: "", text: SIZES });
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

export async function measureSize(runs: number): Promise<void> {
  const database = await openBenchPostgres();
  const { sql, store } = database;
  const governed = await openGoverned(store);
  try {
    const runner = await prepare(store, governed.driver, DIAMOND);
    const trail = new AuditTrail({ store, now: () => Date.now(), seed: SEED });
    const settle = async (): Promise<void> => {
      await trail.catchUp(ORG);
      while ((await store.indexRuns(200)) > 0);
      while (await store.rollUsage());
    };
    let wal = 0;
    let walSettled = 0;
    const round = async (): Promise<void> => {
      const from = await walPosition(sql);
      await measureThroughput(runner, DIAMOND_NODES, CONCURRENT, Math.ceil(runs / ROUNDS));
      const to = await walPosition(sql);
      await settle();
      wal += to - from;
      walSettled += (await walPosition(sql)) - from;
      await sql.query({ name: "", text: "vacuum" });
    };
    // Pages written whole after a checkpoint depend on when the last one was.
    await sql.query({ name: "", text: "alter system set full_page_writes = off" });
    await sql.query({ name: "", text: "select pg_reload_conf()" });
    // What comes and goes has its size then.
    for (let warmUp = 0; warmUp < 3; warmUp += 1) await round();
    const before = await sizesOf(sql);
    [wal, walSettled] = [0, 0];
    for (let done = 0; done < ROUNDS; done += 1) await round();
    const after = await sizesOf(sql);
    const grown = [...after].map(([name, bytes]) => ({ name, bytes: (bytes - (before.get(name) ?? 0)) / runs }));
    const lines = grown.filter(({ bytes }) => bytes > 1).toSorted((left, right) => right.bytes - left.bytes);
    const all = grown.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { name, bytes } of [...lines, { name: "in all", bytes: all }])
      process.stdout.write(`${name.padEnd(24)} ${Math.round(bytes).toString().padStart(8)} bytes a run\n`);
    process.stdout.write(`of at most ${RUN_BYTES_MAX} bytes a run, and of ${WAL_BYTES_MAX} bytes of log\n`);
    process.stdout.write(
      `write-ahead log: ${Math.round(wal / runs)} bytes a run, ${Math.round(walSettled / runs)} with audit, search and usage\n`,
    );
  } finally {
    await governed.close();
    await database.close();
  }
}
