/** What one run alone costs the database: commits, and bytes of write-ahead log. */
import type { DurableDriver } from "../src/driver/index.ts";
import type { Sql } from "../src/store/index.ts";
import type { Runner } from "./runtime.ts";

export interface StorageFigure {
  readonly commitsPerRun: number;
  readonly walKilobytesPerRun: number;
}

const RUNS = 20;

/** Pages written whole after a checkpoint depend on when the last one was, so they are left out. */
export async function measureStorage(sql: Sql, driver: DurableDriver, runner: Runner): Promise<StorageFigure> {
  await plain(sql, "alter system set full_page_writes = off");
  await plain(sql, "select pg_reload_conf()");
  await runner.run();
  const commits = driver.figures().commits;
  const from = await walPosition(sql);
  for (let run = 0; run < RUNS; run += 1) await runner.run();
  const bytes = (await walPosition(sql)) - from;
  const figure = {
    commitsPerRun: (driver.figures().commits - commits) / RUNS,
    walKilobytesPerRun: bytes / RUNS / 1_024,
  };
  await plain(sql, "alter system reset full_page_writes");
  await plain(sql, "select pg_reload_conf()");
  return figure;
}

export async function walPosition(sql: Sql): Promise<number> {
  const [row] = await plain<{ bytes: string }>(
    sql,
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes",
  );
  return Number(row?.bytes ?? 0);
}

function plain<Row>(sql: Sql, text: string): Promise<readonly Row[]> {
  return sql.query<Row>({ name: "", text });
}
