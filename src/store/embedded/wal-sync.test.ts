import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openEmbedded } from "./index.ts";
import { WalSync } from "./wal-sync.ts";

const plain = (text: string): { name: string; text: string } => ({ name: "", text });
/** Half as much again as two segments. */
const MANY_BYTES = 48 * 1_048_576;

let directory: string;
let log: string;
/** Inodes of what was synced. */
let synced: number[];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "sluice-wal-"));
  log = join(directory, "db", "pg_wal");
  synced = [];
  const handle = await open(directory);
  const handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  for (const method of ["sync", "datasync"] as const) {
    const real = handles[method];
    vi.spyOn(handles, method).mockImplementation(async function note(this: FileHandle): Promise<void> {
      synced.push((await this.stat()).ino);
      await real.call(this);
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true });
});

/** The segments that were synced, by name; "." is the directory that has their names. */
const syncedNames = (): readonly string[] =>
  [".", ...readdirSync(log)].filter((name) => synced.includes(statSync(join(log, name)).ino)).sort();

it("a transaction that fills several segments of the log is on the disk whole when it is acknowledged", async () => {
  const sql = await openEmbedded({ directory });
  await sql.query(plain("create table big (t text)"));
  await sql.query(plain("alter table big alter column t set storage external"));
  const before = new Map(readdirSync(log).map((name) => [name, statSync(join(log, name)).mtimeMs]));
  synced = [];
  await sql.query(plain(`insert into big select repeat('x', ${MANY_BYTES / 8}) from generate_series(1, 8)`));
  const written = readdirSync(log).filter((name) => statSync(join(log, name)).mtimeMs !== before.get(name));
  expect(written.filter((name) => name.length === 24).length).toBeGreaterThan(2);
  expect(syncedNames()).toEqual(expect.arrayContaining([".", ...written.filter((name) => name.length === 24)]));
  synced = [];
  await sql.query(plain("insert into big values ('one more')"));
  // The end of the segment before it may have been written in the same moment.
  expect(syncedNames().length).toBeLessThan(3);
  await sql.close();
});

it("a segment is synced again when it was written in the same moment, or after the clock was set back", async () => {
  mkdirSync(log, { recursive: true });
  const [first, second, ahead] = ["1", "2", "3"].map((digit) => digit.padStart(24, "0"));
  const write = (name: string | undefined, at: number): void => {
    writeFileSync(join(log, name ?? ""), "x");
    utimesSync(join(log, name ?? ""), at, at);
  };
  for (const [name, at] of [
    [first, 100],
    [ahead, 50],
  ] as const)
    write(name, at);
  const wal = new WalSync(join(directory, "db"));
  await wal.sync();
  expect(syncedNames()).toEqual([".", first, ahead]);
  synced = [];
  for (const name of [first, second]) write(name, 100);
  await wal.sync();
  expect(syncedNames()).toEqual([".", first, second]);
  synced = [];
  write(second, 40);
  await wal.sync();
  expect(syncedNames()).toContain(second);
  expect(syncedNames()).not.toContain(".");
  await wal.close();
});
