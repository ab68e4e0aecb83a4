import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

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

/** For systems without such names: locks by a file with the process id and its start time, so that a reused id is detected. */
export async function lockByFile(path: string): Promise<() => Promise<void>> {
  const file = join(path, "sluice.pid");
  const owner = `${process.pid} ${startOf(process.pid)}`;
  for (;;) {
    try {
      writeFileSync(file, owner, { flag: "wx" });
      return async () => rmSync(file, { force: true });
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    if (isHeld(file)) throw new DirectoryInUse(path);
    rmSync(file, { force: true });
  }
}

function isHeld(file: string): boolean {
  const [pid, ...start] = readIfThere(file).split(" ");
  const id = Number(pid);
  return Number.isInteger(id) && id > 0 && isRunning(id) && startOf(id) === start.join(" ");
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
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
