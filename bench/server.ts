/** The program as a process of its own, and a pool of connections to it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "undici";

/** Of the admin. */
const KEY = "slk_backlog_key";
export const HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };

export interface Server {
  readonly pid: number;
  readonly url: string;
  /** Opens the console signed in; null where the program prints none. */
  readonly consoleUrl: string | null;
  readonly pool: Pool;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

interface ServerPlan {
  readonly command: "up" | "serve";
  /** Null: the embedded database. */
  readonly url: string | null;
  readonly connections: number;
}

export function migrate(root: string, url: string): void {
  const args = [join(root, "bin", "sluice"), "migrate", "--database-url", url];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`the database could not be prepared: ${stderr}`);
}

export async function startServer(root: string, data: string, plan: ServerPlan): Promise<Server> {
  const { command, url, connections } = plan;
  const script = `${data}.script.yaml`;
  writeFileSync(script, "default: echo\n");
  const flags = [command, "--json", "--port", "0", "--key", KEY, "--script", script, "--log-level", "warn"];
  if (command === "up") flags.push("--data", data, "--no-demo");
  else flags.push("--start-rate", "0");
  if (url !== null) flags.push("--database-url", url);
  // As `npm start` has it for the embedded database, which needs memory of its own.
  const execArgv = url === null ? ["--max-semi-space-size=32"] : process.execArgv;
  const child = spawn(process.execPath, [...execArgv, join(root, "bin", "sluice"), ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const announced = await Promise.race([firstLine(child), ended.then(() => null)]);
  if (announced === null) throw new Error("the server ended before it was ready");
  const pool = new Pool(announced.url, { connections, headersTimeout: 0, bodyTimeout: 0 });
  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    child.kill(signal);
    await ended;
    await pool.destroy();
  };
  const { pid, url: address, consoleUrl = null } = announced;
  return { pid, url: address, consoleUrl, pool, kill: () => end("SIGKILL"), stop: () => end("SIGTERM") };
}

interface Announced {
  readonly url: string;
  readonly pid: number;
  readonly consoleUrl?: string | null;
}

function firstLine(child: ChildProcess): Promise<Announced> {
  return new Promise((resolve) =>
    child.stdout?.once("data", (chunk: Buffer) => resolve(JSON.parse(chunk.toString("utf8")) as never)),
  );
}

export async function putTo({ pool }: Server, path: string, body: object): Promise<void> {
  const reply = await pool.request({ method: "PUT", path, headers: HEADERS, body: JSON.stringify(body) });
  const text = await reply.body.text();
  if (reply.statusCode >= 300) throw new Error(`PUT ${path} answered ${reply.statusCode}: ${text}`);
}

export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes ?? 0) / 1_024;
}
