import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PoolerUnsupported, type Sql } from "../../src/store/index.ts";
import { openPostgres } from "../../src/store/postgres/index.ts";
import { libraries, unpackPackages } from "../debian/packages.ts";
import { freePort } from "../integration/support/proxy.ts";
import { waitFor } from "../integration/support/waiting.ts";
import { createDatabase, type TestDatabase } from "../postgres/database.ts";
import { preparedProgram } from "../program/program.ts";

const START_MS = 300_000;
const IGNORED = "options,statement_timeout,idle_in_transaction_session_timeout";

/** Debian's PgBouncer is 1.18, which knows nothing of the statements its clients prepare. */
describe("a pooler in front of the database", () => {
  let database: TestDatabase;
  let root: string;
  const directories: string[] = [];
  const running: ChildProcess[] = [];
  const opened: Sql[] = [];
  beforeAll(async () => {
    root = unpackPackages("pgbouncer", ["pgbouncer", "libc-ares2", "libevent-2.1-7"]);
    database = await createDatabase();
    preparedProgram();
  }, START_MS);
  afterEach(async () => {
    for (const sql of opened.splice(0)) await sql.close();
    for (const child of running.splice(0)) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    }
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  });
  afterAll(() => database.drop());

  async function startPooler(settings: Readonly<Record<string, string>>): Promise<string> {
    const { hostname, port: behind, pathname, username } = new URL(database.url);
    const directory = mkdtempSync(join(tmpdir(), "sluice-pooler-"));
    directories.push(directory);
    // It refuses to run as root.
    chmodSync(directory, 0o777);
    const port = await freePort();
    const lines = { listen_addr: "127.0.0.1", listen_port: port, unix_socket_dir: "", auth_type: "any", ...settings };
    const target = `* = host=${hostname} port=${behind} user=${decodeURIComponent(username)}`;
    const file = join(directory, "pgbouncer.ini");
    const body = Object.entries(lines).map(([name, value]) => `${name} = ${value}`);
    writeFileSync(file, ["[databases]", target, "[pgbouncer]", ...body, ""].join("\n"), { mode: 0o644 });
    const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
    const child = spawn(join(root, "usr/sbin/pgbouncer"), [...user, file], {
      env: { LD_LIBRARY_PATH: libraries(root) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    running.push(child);
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
    });
    await waitFor("PgBouncer to listen", () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said}`);
      return Promise.resolve(said.includes("process up"));
    });
    return `postgres://${username}:hush@127.0.0.1:${port}${pathname}`;
  }

  const check = (url: string): Promise<void> => {
    const sql = openPostgres({ url, connections: 2 });
    opened.push(sql);
    return sql.checkPooler();
  };

  it("is refused when it refuses our startup parameters", async () => {
    const url = await startPooler({ pool_mode: "session" });
    const failure = await check(url).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PoolerUnsupported);
    expect((failure as Error).message).toContain("refuses startup parameters (unsupported startup parameter");
  });

  it("is refused when it loses prepared statements, and the program names the settings", async () => {
    const url = await startPooler({ pool_mode: "transaction", ignore_startup_parameters: IGNORED });
    await expect(check(url)).rejects.toThrow("loses prepared statements");
    for (const args of [["serve", "--port", "0"], ["migrate"]]) {
      const command = [preparedProgram(), ...args, "--database-url", url];
      const { status, stderr, stdout } = spawnSync(process.execPath, command, { encoding: "utf8", cwd: tmpdir() });
      expect(status).toBe(2);
      expect(stderr).toContain("pooler_unsupported: the pooler in front of the database loses prepared statements");
      expect(stderr).toContain("PgBouncer 1.21 or newer with max_prepared_statements");
      expect(stderr).toContain("ignore_startup_parameters = options,statement_timeout");
      expect(`${stdout}${stderr}`).not.toContain("hush");
    }
  });

  it("is refused in front of a cell as well, which is not taken for one that is away", async () => {
    const lossy = await startPooler({ pool_mode: "transaction", ignore_startup_parameters: IGNORED });
    const strict = await startPooler({ pool_mode: "session" });
    const file = join(mkdtempSync(join(tmpdir(), "sluice-pooled-")), "cells.yaml");
    directories.push(dirname(file));
    for (const [url, said] of [
      [lossy, "loses prepared statements"],
      [strict, "refuses startup parameters"],
    ] as const) {
      writeFileSync(file, `cells:\n  - {name: north, url: "${database.url}"}\n  - {name: south, url: "${url}"}\n`);
      const command = [preparedProgram(), "serve", "--port", "0", "--cells", file];
      const { status, stderr } = spawnSync(process.execPath, command, { encoding: "utf8", cwd: dirname(file) });
      expect([status, stderr]).toEqual([2, expect.stringContaining(`the cell south: pooler_unsupported: the pooler`)]);
      expect(stderr).toContain(said);
      expect(stderr).not.toContain("hush");
    }
  });

  it("is taken when a session keeps its connection", async () => {
    await check(await startPooler({ pool_mode: "session", ignore_startup_parameters: IGNORED }));
  });

  it("is none: Postgres itself passes", () => check(database.url));
});
