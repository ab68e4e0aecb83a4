import { execFileSync } from "node:child_process";
import { createHash, randomInt, randomUUID } from "node:crypto";
import { readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Another process uses the directory. Two processes at once would silently overwrite each other's writes. */
export class DirectoryInUse extends Error {
  override readonly name = "DirectoryInUse";
  constructor(directory: string) {
    super(
      `${directory} is in use by another Sluice. Stop it, choose another directory, ` +
        `or give both a --database-url: one Postgres serves any number of them`,
    );
  }
}

/** Locks the directory for this process; returns a function that releases it. */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = realpathSync(directory);
  return process.platform === "linux" ? lockBySocket(path) : lockByFile(path);
}

/** Locks by a socket name that the kernel frees when the process ends for any reason, so that no stale lock remains. */
function lockBySocket(path: string): Promise<() => Promise<void>> {
  const name = `\0sluice-${createHash("sha256").update(path).digest("hex")}`;
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", (error: Error & { readonly code?: string }) =>
      reject(error.code === "EADDRINUSE" ? new DirectoryInUse(path) : error),
    );
    server.listen({ path: name, exclusive: true }, () => {
      server.unref();
      resolve(() => new Promise((done) => server.close(() => done())));
    });
  });
}

/**
 * For systems without such names: locks by a file of this process. Each file has a name of its own, so that removing one
 * that was left behind never removes that of another process. Of two processes, the one that lists the files last sees
 * the file of the other, so they never both hold the lock.
 */
export async function lockByFile(path: string): Promise<() => Promise<void>> {
  for (let tried = 1; ; tried += 1) {
    const own = `sluice-${process.pid}-${digest(startOf(process.pid))}-${randomUUID()}.pid`;
    const file = join(path, own);
    writeFileSync(file, "");
    if (!isClaimedBeside(path, own)) return async () => rmSync(file, { force: true });
    rmSync(file, { force: true });
    if (tried === TRIES) throw new DirectoryInUse(path);
    // Two processes that start at the same moment see each other. One of them is first in a later round.
    await sleep(randomInt(PAUSE_MAX_MS));
  }
}

const TRIES = 4;
const PAUSE_MAX_MS = 200;

/** Returns whether a running process has a file here. Removes the files of processes that have ended. */
function isClaimedBeside(path: string, own: string): boolean {
  for (const name of readdirSync(path)) {
    const [, pid, start] = /^sluice-(\d+)-([0-9a-f]{16})-.+\.pid$/.exec(name) ?? [];
    if (pid === undefined || name === own) continue;
    if (isRunning(Number(pid)) && digest(startOf(Number(pid))) === start) return true;
    rmSync(join(path, name), { force: true });
  }
  return false;
}

/** Returns the start time of a process in a form for names of files. With it, a reused process id is detected. */
function digest(start: string): string {
  return createHash("sha256").update(start).digest("hex").slice(0, 16);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists, but belongs to another user.
    return codeOf(error) === "EPERM";
  }
}

/** Returns the start time of a process in the format of the system; '' when it is not available. */
function startOf(pid: number): string {
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return "";
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
