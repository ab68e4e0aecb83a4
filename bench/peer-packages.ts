/** What the peers need on this machine: their packages, installed here and nowhere else, and servers that some of them need. */
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

export interface PeerServer {
  /** What its peer is started with. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const SERVER = "redis-server";
const INSTALLER = "apt-get";

/** A Redis of our own in a directory of its own, or why there is none. */
export async function startRedis(print: (line: string) => void): Promise<PeerServer | string> {
  if (findServer() === null) installRedis(print);
  const program = findServer();
  if (program === null)
    return `there is no ${SERVER} on this machine; install one (Debian: ${INSTALLER} install redis)`;
  const port = await freePort();
  const flagsIn = (dir: string): string[] => {
    const settings = { port, bind: "127.0.0.1", dir, save: "", appendonly: "yes", appendfsync: "everysec" };
    return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  };
  const settings = { redisUrl: `redis://127.0.0.1:${port}` };
  return startServer({
    program,
    flagsIn,
    env: {},
    isReady: async (output) => output.includes("Ready to accept connections"),
    settings,
  });
}

/** The server of Restate, as its package has it for this system, or why there is none. */
export async function startRestate(directory: string): Promise<PeerServer | string> {
  const system = `restate-server-${process.platform}-${process.arch}`;
  const program = join(directory, "node_modules", "@restatedev", system, "bin", "restate-server");
  if (!isProgram(program)) return `there is no ${system} among the packages of the peers`;
  const [node, ingress, admin] = [await freePort(), await freePort(), await freePort()];
  const env = {
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_DISABLE_TELEMETRY: "true",
    RESTATE_LOG_DISABLE_ANSI_CODES: "true",
  };
  const settings = {
    restateIngressUrl: `http://127.0.0.1:${ingress}`,
    restateAdminUrl: `http://127.0.0.1:${admin}`,
  };
  return startServer({
    program,
    flagsIn: restateFlags,
    env,
    isReady: () => answers(`${settings.restateIngressUrl}/restate/health`),
    settings,
  });
}

function restateFlags(base: string): readonly string[] {
  return ["--base-dir", base, "--node-name", "bench", "--no-logo"];
}

interface ServerToStart {
  readonly program: string;
  readonly flagsIn: (directory: string) => readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** With what it has printed so far. */
  readonly isReady: (output: string) => Promise<boolean>;
  readonly settings: Readonly<Record<string, string>>;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

const READY_MS = 60_000;
const LOOK_MS = 50;

async function startServer({ program, flagsIn, env, isReady, settings }: ServerToStart): Promise<PeerServer | string> {
  const directory = mkdtempSync(join(tmpdir(), "sluice-bench-peer-"));
  const child = spawn(program, flagsIn(directory), {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const close = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  if (await untilReady(child, isReady)) return { settings, close };
  await close();
  return `${program} did not start`;
}

async function untilReady(child: ChildProcess, isReady: ServerToStart["isReady"]): Promise<boolean> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      if (output.length < 100_000) output += chunk.toString("utf8");
    });
  }
  for (const until = performance.now() + READY_MS; performance.now() < until;) {
    if (await isReady(output)) return true;
    if (child.exitCode !== null || child.signalCode !== null) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
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
