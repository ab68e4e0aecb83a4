/** The server as a process: how long it takes to start and what it holds while it does nothing. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "../src/store/index.ts";

export interface ProcessFigure {
  /** On a data directory, or schema, that is not there yet; and on one that is. */
  readonly firstStartMs: number;
  readonly startMs: number;
  readonly idleMegabytes: number | null;
}

const SETTLE_MS = 3_000;

/** On a database of its own: one that is full of what was measured before gives the sealer work for a while. */
export async function measureProcess(root: string, database: { sql: Sql; url: string | null }): Promise<ProcessFigure> {
  const url = database.url === null ? null : await emptyDatabase(database.sql, database.url);
  const data = mkdtempSync(join(tmpdir(), "sluice-bench-up-"));
  const program = join(root, "bin", "sluice");
  // Builds what is stale, which is no part of a start.
  spawnSync(process.execPath, [program, "--version"], { stdio: "ignore" });
  try {
    const first = await startOnce(program, data, url);
    const second = await startOnce(program, data, url);
    return { firstStartMs: first.startMs, startMs: second.startMs, idleMegabytes: second.idleMegabytes };
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function emptyDatabase(sql: Sql, url: string): Promise<string> {
  await sql.query({ name: "", text: "create database idle" }, []);
  const idle = new URL(url);
  idle.pathname = "/idle";
  return idle.href;
}

async function startOnce(program: string, data: string, url: string | null) {
  const flags = [
    "up",
    "--json",
    "--port",
    "0",
    "--data",
    data,
    "--no-demo",
    ...(url === null ? [] : ["--database-url", url]),
  ];
  const before = performance.now();
  const child = spawn(process.execPath, [...process.execArgv, program, ...flags], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await Promise.race([
    new Promise<void>((resolve) => child.stdout.once("data", () => resolve())),
    ended.then(() => Promise.reject(new Error("the server ended before it was ready"))),
  ]);
  const startMs = performance.now() - before;
  await pause(SETTLE_MS);
  const idleMegabytes = residentMegabytes(child.pid ?? 0);
  child.kill("SIGTERM");
  await ended;
  return { startMs, idleMegabytes };
}

/** Null where the system does not report it. */
function residentMegabytes(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1_024;
  } catch {
    return null;
  }
}
