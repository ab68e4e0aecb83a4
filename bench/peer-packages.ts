/** What the peers need on this machine: their packages, installed here and nowhere else, and a Redis for one of them. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "../test/integration/support/proxy.ts";

/** Null when they are there now, else why they are not. */
export function installPeers(directory: string, print: (line: string) => void): string | null {
  if (!isStale(directory)) return null;
  print("installing the peers of the benchmark into bench/peers, once");
  const flags = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--loglevel", "error"];
  const result = spawnSync("npm", ["install", ...flags], { cwd: directory, encoding: "utf8" });
  if (result.error !== undefined) return `npm cannot be started (${result.error.message})`;
  if (result.status === 0) return null;
  const [cause = `code ${result.status ?? result.signal}`] = result.stderr.trim().split("\n");
  return `npm install in bench/peers failed: ${cause}`;
}

/** npm writes its hidden lock file last, so a broken install never looks finished. */
function isStale(directory: string): boolean {
  const installed = join(directory, "node_modules", ".package-lock.json");
  return !existsSync(installed) || statSync(installed).mtimeMs < statSync(join(directory, "package-lock.json")).mtimeMs;
}

export interface Redis {
  readonly url: string;
  close(): Promise<void>;
}

const SERVER = "redis-server";
const INSTALLER = "apt-get";
const READY_TRIES = 100;

/** A Redis of our own in a directory of its own, or why there is none. */
export async function startRedis(print: (line: string) => void): Promise<Redis | string> {
  if (findServer() === null) installRedis(print);
  const program = findServer();
  if (program === null)
    return `there is no ${SERVER} on this machine; install one (Debian: ${INSTALLER} install redis)`;
  const directory = mkdtempSync(join(tmpdir(), "sluice-bench-redis-"));
  const port = await freePort();
  const settings = { port, bind: "127.0.0.1", dir: directory, save: "", appendonly: "yes", appendfsync: "everysec" };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(program, flags, { cwd: directory, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  if (await isReady(child)) return { url: `redis://127.0.0.1:${port}`, close };
  await close();
  return `${program} did not start`;
}

async function isReady(child: ChildProcess): Promise<boolean> {
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    if (output.length < 100_000) output += chunk.toString("utf8");
  });
  for (let tries = 0; tries < READY_TRIES; tries += 1) {
    if (output.includes("Ready to accept connections")) return true;
    if (child.exitCode !== null || child.signalCode !== null) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

function findServer(): string | null {
  const directories = ["/usr/bin", "/usr/local/bin", ...(process.env["PATH"] ?? "").split(delimiter)];
  return directories.map((directory) => join(directory, SERVER)).find(isProgram) ?? null;
}

/** Only where no permission is needed: as root, on Debian. The service that comes with it is not started. */
function installRedis(print: (line: string) => void): void {
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return;
  print("installing Redis for BullMQ, once");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  spawnSync(INSTALLER, ["update"], { stdio: "ignore", env });
  spawnSync(INSTALLER, ["install", "-y", "--no-install-recommends", SERVER], { stdio: "ignore", env });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
