/**
 * `npm run bench -- --workers [FUNCTIONS] [--on postgres|embedded]`: functions per second that one server and three
 * workers, each a process of its own, do on this machine.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { createWorker, step } from "../src/worker/index.ts";
import { startPostgres } from "../test/integration/support/postgres-instance.ts";
import { processorSecondsBelow } from "./processor-time.ts";
import { HEADERS, migrate, type Server, startServer } from "./server.ts";

export interface WorkersPlan {
  readonly functions: number;
  readonly on: "postgres" | "embedded";
}

/** First word of the command line of a worker. */
export const BENCH_WORKER = "worker";

const WORKERS = 3;
const PER_RUN = 1_000;
const WARM_UP = 2_000;
const LOOK_MS = 50;

const SOURCE = JSON.stringify({
  name: "many",
  args: { list: { type: "array" } },
  max_parallel: 1_000,
  steps: [
    {
      id: "each",
      function: "double",
      agent: "hands",
      for_each: "${list}",
      max_items: PER_RUN,
      inputs: { n: "${item}" },
      queue_timeout: "1h",
    },
  ],
});

/** The process of one worker: its function does next to nothing. */
export async function runBenchWorker(url: string, key: string): Promise<void> {
  const numbers = z.object({ n: z.number() });
  const double = step({ input: numbers, output: numbers, action: "read", run: ({ n }) => ({ n: 2 * n }) });
  await createWorker({ url, key, concurrency: 200, functions: { double }, onNote: print }).run();
}

function print(message: string): void {
  process.stdout.write(`${message}\n`);
}

export async function measureWorkers(root: string, plan: WorkersPlan, log: (line: string) => void): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "sluice-bench-workers-"));
  const postgres = plan.on === "postgres" ? await startPostgres() : null;
  const url = postgres?.url ?? null;
  const workers: ChildProcess[] = [];
  if (url !== null) migrate(root, url);
  const server = await startServer(root, data, { command: url === null ? "up" : "serve", url, connections: 16 });
  try {
    await ask(server, "PUT", "/agents/hands", { max_concurrent: 1_000, autonomy: "bounded", trust_level: 5 });
    for (let count = 0; count < WORKERS; count += 1) workers.push(await startWorker(server.url));
    await ask(server, "PUT", "/workflows/many", { source: SOURCE });
    await finish(server, WARM_UP);
    const began = performance.now();
    const before = processorSecondsBelow(process.pid);
    await finish(server, plan.functions);
    const after = processorSecondsBelow(process.pid);
    const seconds = (performance.now() - began) / 1_000;
    const rate = Math.round(plan.functions / seconds);
    log(`${plan.on}: ${plan.functions} functions by ${WORKERS} workers in ${seconds.toFixed(1)} s, ${rate} per second`);
    // On a busy machine this says what a free one could do: server, workers and database share its cores.
    if (before !== null && after !== null) {
      const perSecond = Math.round(plan.functions / (after - before));
      log(`  ${(after - before).toFixed(1)} s of processor time, ${perSecond} functions per second of one core`);
    }
  } finally {
    for (const worker of workers) worker.kill("SIGKILL");
    await server.kill();
    await postgres?.dispose();
    rmSync(data, { recursive: true, force: true });
  }
}

function startWorker(url: string): Promise<ChildProcess> {
  const key = HEADERS.authorization.replace("Bearer ", "");
  const program = process.argv[1] ?? "";
  const child = spawn(process.execPath, [program, BENCH_WORKER, url, key], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error("a worker ended before it was ready")));
    child.stdout.on("data", (chunk: Buffer) => {
      if (chunk.toString("utf8").includes("ready as")) resolve(child);
    });
  });
}

/** Starts runs for so many functions, and waits until all have completed. */
async function finish(server: Server, functions: number): Promise<void> {
  const open = new Set<string>();
  for (let from = 0; from < functions; from += PER_RUN) {
    const list = Array.from({ length: Math.min(PER_RUN, functions - from) }, (_, index) => from + index);
    open.add(String((await ask(server, "POST", "/runs", { workflow: "many", args: { list } }))["id"]));
  }
  while (open.size > 0) {
    await pause(LOOK_MS);
    for (const id of [...open].slice(0, 1)) {
      const { status } = await ask(server, "GET", `/runs/${id}`);
      if (status === "completed") open.delete(id);
      else if (status !== "running" && status !== "queued") throw new Error(`a run is ${String(status)}`);
    }
  }
}

async function ask(server: Server, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: HEADERS,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
