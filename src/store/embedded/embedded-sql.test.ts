import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../index.ts";
import { DirectoryInUse, openEmbedded } from "./index.ts";

const plain = (text: string): { name: string; text: string } => ({ name: "", text });
const REPOSITORY = join(import.meta.dirname, "..", "..");

/** Counts up in its own process, printing each number after it was committed, until it is killed. */
const COUNTER = `
  import { openEmbedded } from ${JSON.stringify(join(import.meta.dirname, "index.ts"))};
  const sql = await openEmbedded({ directory: process.argv[1] });
  await sql.query({ name: "", text: "create table if not exists counted (n int)" });
  for (let n = 1; ; n += 1) {
    await sql.query({ name: "count", text: "insert into counted values ($1)" }, [n]);
    process.stdout.write(n + "\\n");
  }`;

function startCounter(directory: string) {
  const args = ["--import", "tsx", "--input-type=module", "-e", COUNTER, directory];
  return spawn(process.execPath, args, { cwd: REPOSITORY, stdio: ["ignore", "pipe", "inherit"] });
}

describe("the embedded database", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "sluice-embedded-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("is one opener's alone, and keeps what was written when it is closed and opened again", async () => {
    const first = await openEmbedded({ directory: join(directory, "made/on/demand") });
    await first.query(plain("create table kept (n bigint, b boolean, t text)"));
    await first.query({ name: "keep", text: "insert into kept values ($1, $2, $3)" }, [2 ** 52, true, "\u{1F600}"]);
    await first.query({ name: "keep", text: "insert into kept values ($1, $2, $3)" }, [null, false, ""]);
    // No other opener comes in meanwhile, by whatever name.
    symlinkSync(join(directory, "made"), join(directory, "alias"));
    await expect(openEmbedded({ directory: join(directory, "alias/on/demand") })).rejects.toThrow(
      `${join(directory, "made/on/demand")} is in use by another Sluice. Stop it, choose another directory`,
    );
    await first.close();
    await first.close();
    await expect(first.query(plain("select 1"))).rejects.toThrow(StoreUnavailable);
    const second = await openEmbedded({ directory: join(directory, "made/on/demand") });
    expect(await second.query(plain("select * from kept"))).toEqual([
      { n: 2 ** 52, b: true, t: "\u{1F600}" },
      { n: null, b: false, t: "" },
    ]);
    await second.close();
  });

  it("does not keep the room of rows that come and go", async () => {
    const sql = await openEmbedded({ directory });
    const pages = async (): Promise<number> => {
      const [row] = await sql.query<{ size: number }>(plain("select pg_relation_size('audit_pending')::int as size"));
      return (row?.size ?? 0) / 8_192;
    };
    const come = `insert into audit_pending (id, org_id, at, body)
      select n::text, 'org_1', 1, repeat(n::text, 150) from generate_series(1000, 1100) as rows (n)`;
    for (let round = 0; round < 350; round += 1) {
      await sql.query({ name: "come", text: come });
      await sql.query({ name: "go", text: "delete from audit_pending" });
    }
    // A round fills about eight pages: without a vacuum there would be 2,900.
    expect(await pages()).toBeLessThan(2_000);
    await sql.close();
  });

  it("keeps transactions whole and apart, and continues after a wrong statement", async () => {
    const sql = await openEmbedded({ directory });
    await sql.query(plain("create table kept (n int unique)"));
    const undone = sql.transaction(async (within) => {
      await within.query(plain("insert into kept values (1)"));
      throw new Error("changed my mind");
    });
    const done = sql.transaction(async (within) => {
      await within.query(plain("insert into kept values (1)"));
      return within.query(plain("select count(*) as n from kept"));
    });
    await expect(undone).rejects.toThrow("changed my mind");
    expect(await done).toEqual([{ n: 1 }]);
    const twice = { name: "twice", text: "insert into kept values (1)" };
    await expect(sql.query(twice)).rejects.toMatchObject({ code: "23505" });
    await expect(sql.query({ name: "odd", text: "select nonsense" })).rejects.toMatchObject({ code: "42703" });
    const failing = sql.transaction(async (within) => within.query(twice));
    await expect(failing).rejects.toMatchObject({ code: "23505" });
    expect(await sql.query(plain("select n from kept"))).toEqual([{ n: 1 }]);
    await expect(sql.transaction((within) => within.transaction(async () => 1))).rejects.toThrow(
      "inside a transaction",
    );
    await sql.close();
  });

  it("survives the death of its process with all that was reported, and the directory is free at once", async () => {
    const counter = startCounter(directory);
    let printed = "";
    for await (const chunk of counter.stdout) {
      printed += String(chunk);
      // What it wrote before it died may still arrive afterwards.
      if (counter.killed || printed.split("\n").length <= 30) continue;
      await expect(openEmbedded({ directory })).rejects.toThrow(DirectoryInUse);
      counter.kill("SIGKILL");
    }
    const last = Number(printed.trimEnd().split("\n").at(-1));
    const sql = await openEmbedded({ directory });
    const [row] = await sql.query<{ last: number; count: number }>(
      plain("select max(n) as last, count(*) as count from counted"),
    );
    expect(row?.last).toBeGreaterThanOrEqual(last);
    expect(row?.count).toBe(row?.last);
    await sql.close();
  });

  it("begins anew when its making was cut short", async () => {
    // What a process that was killed while copying leaves behind.
    symlinkSync(tmpdir(), join(directory, "db.new"));
    await (await openEmbedded({ directory })).close();
    expect(readdirSync(directory)).toEqual(["db"]);
    expect(existsSync(tmpdir())).toBe(true);
  });

  it("is copied from an empty one, whose maker clears away what was not copied for a week", async () => {
    const cache = join(directory, "cache");
    const aged = (name: string, days: number): void => {
      mkdirSync(join(cache, name), { recursive: true });
      const then = Date.now() / 1_000 - days * 86_400;
      utimesSync(join(cache, name), then, then);
    };
    aged("seed-old", 8);
    aged("seed-old.cut-short", 8);
    aged("seed-near", 6);
    aged("others", 8);
    const seedDirectory = join(cache, "seed-new");
    const data = join(directory, "data");
    const sql = await openEmbedded({ directory: data, seedDirectory });
    expect(await sql.query(plain("select count(*)::int as runs from runs"))).toEqual([{ runs: 0 }]);
    await sql.close();
    expect(readdirSync(cache).sort()).toEqual(["others", "seed-near", "seed-new"]);
  }, 120_000);
});
