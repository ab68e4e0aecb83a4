import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findBinaries } from "../../postgres/binaries.ts";
import { freePort } from "./proxy.ts";
import { waitFor } from "./waiting.ts";

/** A database server of our own in a directory of its own, that may be stopped and started as roughly as a test likes. */
export interface PostgresInstance {
  readonly url: string;
  start(): Promise<void>;
  /** As if its machine had failed: no goodbye, and recovery from the write-ahead log with the next start. */
  stopImmediately(): Promise<void>;
  dispose(): Promise<void>;
}

export interface PostgresSettings {
  /** Only a machine that loses power needs it; killed processes do not. */
  readonly fsync?: boolean;
  /** The leader it follows, from a copy of its files. */
  readonly follows?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Where its files are put; among other temporary files otherwise. */
  readonly directory?: string;
}

export async function startPostgres({
  fsync = false,
  directory = tmpdir(),
  follows,
  settings: given = {},
}: PostgresSettings = {}): Promise<PostgresInstance> {
  const { initdb } = await findBinaries();
  const owner = unprivilegedUser();
  const root = mkdtempSync(join(directory, "sluice-postgres-"));
  if (owner !== null) chownSync(root, owner.uid, owner.gid);
  chmodSync(root, 0o700);
  const data = join(root, "data");
  const as = owner === null ? {} : { uid: owner.uid, gid: owner.gid };
  const [program, args] =
    follows === undefined
      ? [initdb, ["-D", data, "-U", "sluice", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]]
      : [join(dirname(initdb), "pg_basebackup"), ["-d", follows, "-D", data, "-R", "-c", "fast", "--no-sync"]];
  const made = spawnSync(program, args, { ...as, cwd: root, encoding: "utf8", env: cleanEnvironment() });
  if (made.status !== 0) throw new Error(`${program} failed: ${made.stderr}${made.error?.message ?? ""}`);
  const port = await freePort();
  let server: ChildProcess | null = null;
  const instance: PostgresInstance = {
    url: `postgres://sluice@127.0.0.1:${port}/postgres`,
    async start() {
      const settings = { listen_addresses: "127.0.0.1", port, unix_socket_directories: root, max_connections: 200 };
      const flags = Object.entries({ ...settings, fsync: fsync ? "on" : "off", ...given }).flatMap(([name, value]) => [
        "-c",
        `${name}=${value}`,
      ]);
      const child = spawn(join(dirname(initdb), "postgres"), ["-D", data, ...flags], {
        ...as,
        cwd: root,
        env: cleanEnvironment(),
        stdio: ["ignore", "ignore", "pipe"],
      });
      server = child;
      let said = "";
      child.stderr.on("data", (chunk: Buffer) => {
        said = `${said}${chunk.toString("utf8")}`.slice(-4_000);
      });
      await waitFor("Postgres to accept connections", () => {
        if (child.exitCode !== null) throw new Error(`Postgres ended with code ${child.exitCode}: ${said}`);
        return Promise.resolve(/ready to accept (?:read-only )?connections/.test(said));
      });
    },
    stopImmediately: () => endWith("SIGQUIT"),
    async dispose() {
      await endWith("SIGQUIT");
      rmSync(root, { recursive: true, force: true });
    },
  };
  async function endWith(signal: NodeJS.Signals): Promise<void> {
    const child = server;
    server = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill(signal);
    await ended;
  }
  await instance.start();
  return instance;
}

/** Postgres refuses to run as root; there is always another user. */
function unprivilegedUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of ["postgres", "nobody"]) {
    try {
      const ask = (what: string) => Number(execFileSync("id", [what, name], { encoding: "utf8", stdio: "pipe" }));
      return { uid: ask("-u"), gid: ask("-g") };
    } catch {
      continue;
    }
  }
  throw new Error("Postgres cannot run as root, and there is neither a user postgres nor nobody");
}

/** Settings for clients of other servers must not reach this one. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PG")));
}
