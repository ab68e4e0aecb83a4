import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findBinaries, type Binaries } from "./binaries.ts";

/**
 * One server for a whole run of the suite, started by the first test file that asks and shared by the others. Its
 * directory is named after the suite's process, so that a later suite knows that it was left behind.
 */
const PREFIX = "sluice-suite-postgres-";
const START_MS = 60_000;

export function serverRoot(suitePid: number): string {
  return join(tmpdir(), `${PREFIX}${suitePid}`);
}

/** The URL of the suite's server, without a database. The process that makes the directory starts it; the rest wait. */
export async function suiteServer(suitePid: number): Promise<string> {
  const root = serverRoot(suitePid);
  if (hasMade(root)) {
    try {
      await endLeftovers();
      await start(root);
    } catch (error) {
      writeFileSync(join(root, "failed"), error instanceof Error ? error.message : String(error));
    }
  }
  const begun = performance.now();
  for (;;) {
    if (existsSync(join(root, "failed"))) throw new Error(readFileSync(join(root, "failed"), "utf8"));
    if (existsSync(join(root, "url"))) return readFileSync(join(root, "url"), "utf8");
    if (performance.now() - begun > START_MS)
      throw new Error(`the Postgres in ${root} did not start; see its log there`);
    await sleep(50);
  }
}

function hasMade(root: string): boolean {
  try {
    mkdirSync(root, { mode: 0o755 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function start(root: string): Promise<void> {
  const binaries = await findBinaries();
  const user = serverUser();
  if (user !== null) chownSync(root, user.uid, user.gid);
  const data = join(root, "data");
  run(binaries.initdb, ["-D", data, "-U", "sluice", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"], user);
  const port = await freePort();
  const settings = [
    `-p ${port}`,
    "-c listen_addresses=127.0.0.1",
    `-c unix_socket_directories=''`,
    "-c shared_buffers=32MB",
    "-c max_connections=200",
  ].join(" ");
  run(binaries.pgCtl, ["-D", data, "-l", join(root, "log"), "-w", "-o", settings, "start"], user);
  writeFileSync(join(root, "url"), `postgres://sluice@127.0.0.1:${port}`);
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Postgres refuses to run as root; then it runs as a user that may do little. */
function serverUser(): User | null {
  if (process.getuid?.() !== 0) return null;
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("Postgres does not run as root, and there is neither a user postgres nor nobody to run it as");
}

function run(program: string, args: readonly string[], user: User | null): void {
  // A server that inherits a pipe would keep it open for ever, hence no output is read.
  const result = spawnSync(program, args, { stdio: "ignore", cwd: tmpdir(), ...user });
  if (result.status === 0) return;
  throw new Error(`${program} ${args.join(" ")} failed: ${result.error?.message ?? `status ${result.status}`}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Stops the server of a suite and removes its directory; nothing when there is none. */
export async function endServer(root: string): Promise<void> {
  const data = join(root, "data");
  if (existsSync(join(data, "postmaster.pid"))) await stop(await findBinaries(), data);
  rmSync(root, { recursive: true, force: true });
}

/** `pg_ctl` reads the process from the data directory it is given: no other server can be meant. */
async function stop(binaries: Binaries, data: string): Promise<void> {
  spawnSync(binaries.pgCtl, ["-D", data, "-m", "immediate", "-w", "stop"], {
    stdio: "ignore",
    cwd: tmpdir(),
    ...serverUser(),
  });
}

/** Servers of suites that are no more. */
async function endLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : Number.NaN;
    if (Number.isInteger(pid) && !isRunning(pid)) await endServer(join(tmpdir(), name));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
