/**
 * `npm run bench -- --cells [SECONDS]`: one server over 1, 2 and 4 cells, each with a Postgres of its own, for so many seconds
 * each. All share the cores of this machine, so what counts is nodes per second of processor time: with it unchanged, a cell
 * does with its share what one cell alone does with the same share. Each cell has as many runs under way as one alone has;
 * and once more, the cells have as many as that altogether. Then each cell commits smaller batches, and a batch has a cost
 * of its own.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type PostgresInstance, startPostgres } from "../test/integration/support/postgres-instance.ts";
import { processorSecondsBelow } from "./processor-time.ts";
import { DIAMOND } from "./runtime.ts";

const COUNTS = [1, 2, 4];
const OPERATOR = "slk_bench_operator";
/** Runs under way in a cell that is alone. A batch belongs to one cell, so this is what the size of its batches depends on. */
const OPEN = 96;
const WARM_UP_MS = 5_000;
const RUN_NODES = 10;

interface CellsLoad {
  readonly cells: number;
  /** Runs under way in each cell. */
  readonly open: number;
}

interface CellsFigure {
  readonly nodesPerSecond: number;
  /** The slowest and the fastest of the cells. */
  readonly ofCells: readonly [number, number];
  readonly nodesPerProcessorSecond: number | null;
}

export async function measureCells(root: string, seconds: number, log: (line: string) => void): Promise<void> {
  let alone: CellsFigure | null = null;
  const shared = COUNTS.filter((cells) => cells > 1).map((cells) => ({ cells, open: Math.floor(OPEN / cells) }));
  for (const load of [...COUNTS.map((cells) => ({ cells, open: OPEN })), ...shared]) {
    const { cells, open } = load;
    const figure = await measureCount(root, load, seconds);
    const { nodesPerSecond, ofCells, nodesPerProcessorSecond } = figure;
    alone ??= figure;
    const share = (nodesPerProcessorSecond ?? nodesPerSecond) / (alone.nodesPerProcessorSecond ?? alone.nodesPerSecond);
    log(
      `${cells} ${cells === 1 ? "cell" : "cells"} with ${open} runs under way in each: ${Math.round(nodesPerSecond)} nodes/s, ` +
        `${ofCells.map((rate) => Math.round(rate)).join(" to ")} each, ` +
        `${Math.round(nodesPerProcessorSecond ?? 0)} per second of processor, ${share.toFixed(2)} of one cell alone`,
    );
  }
}

async function measureCount(root: string, load: CellsLoad, seconds: number): Promise<CellsFigure> {
  const data = mkdtempSync(join(tmpdir(), "sluice-bench-cells-"));
  const databases: PostgresInstance[] = [];
  try {
    for (let index = 0; index < load.cells; index += 1) databases.push(await startPostgres({ fsync: true }));
    const file = join(data, "cells.yaml");
    const lines = databases.map(({ url }, index) => `  - {name: c${index}, url: "${url}"}\n`);
    writeFileSync(file, `cells:\n${lines.join("")}`);
    const migrated = spawnSync(process.execPath, [join(root, "bin", "sluice"), "migrate", "--cells", file], {
      encoding: "utf8",
    });
    if (migrated.status !== 0) throw new Error(`the cells could not be prepared: ${migrated.stderr}`);
    const server = await startServer(root, data, file);
    try {
      return await measureLoad(server.url, load, seconds);
    } finally {
      await server.stop();
    }
  } finally {
    for (const database of databases) await database.dispose();
    rmSync(data, { recursive: true, force: true });
  }
}

async function startServer(root: string, data: string, file: string) {
  const script = join(data, "script.yaml");
  writeFileSync(script, "default: echo\n");
  const flags = ["--json", "--port", "0", "--cells", file, "--key", OPERATOR, "--script", script, "--start-rate", "0"];
  const args = [...process.execArgv, join(root, "bin", "sluice"), "serve", ...flags];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, SLUICE_DATA: data, SLUICE_LOG_LEVEL: "warn" },
  });
  const ended = new Promise<null>((resolve) => child.once("exit", () => resolve(null)));
  const line = new Promise<string>((resolve) => child.stdout.once("data", (chunk: Buffer) => resolve(String(chunk))));
  const announced = await Promise.race([line, ended]);
  if (announced === null) throw new Error("the server ended before it was ready");
  return {
    url: (JSON.parse(announced) as { readonly url: string }).url,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** An organisation in each cell, all under the same load. */
async function measureLoad(url: string, { cells, open }: CellsLoad, seconds: number): Promise<CellsFigure> {
  const keys = [OPERATOR];
  // The first one has the organisation of the operators, and each new one goes where the fewest are.
  for (let index = 1; index < cells; index += 1) {
    const made = await ask(url, OPERATOR, "POST", "/organisations", { id: `org-${index}` });
    keys.push((made["key"] as { readonly key: string }).key);
  }
  for (const key of keys) {
    await ask(url, key, "PUT", "/agents/default", { max_concurrent: 1_000, trust_level: 5 });
    await ask(url, key, "PUT", "/workflows/diamond", { source: DIAMOND });
  }
  const over = new AbortController();
  const load = keys.flatMap((key) => Array.from({ length: open }, () => startAndWait(url, key, over.signal)));
  await pause(WARM_UP_MS);
  const before = await nodesByCell(url);
  const spentBefore = processorSecondsBelow(process.pid);
  const began = performance.now();
  await pause(seconds * 1_000);
  const after = await nodesByCell(url);
  const spentAfter = processorSecondsBelow(process.pid);
  const elapsed = (performance.now() - began) / 1_000;
  over.abort();
  await Promise.all(load);
  const rates = [...after].map(([cell, nodes]) => (nodes - (before.get(cell) ?? 0)) / elapsed);
  const nodesPerSecond = rates.reduce((sum, rate) => sum + rate, 0);
  const spent = spentBefore === null || spentAfter === null ? null : spentAfter - spentBefore;
  return {
    nodesPerSecond,
    ofCells: [Math.min(...rates), Math.max(...rates)],
    nodesPerProcessorSecond: spent === null ? null : (nodesPerSecond * elapsed) / spent,
  };
}

/** One run after the other, each in one request. */
async function startAndWait(url: string, key: string, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const { status } = await ask(url, key, "POST", "/runs?wait=30", { workflow: "diamond" });
    if (status !== "completed") throw new Error(`a run is ${String(status)}`);
  }
}

/** Nodes of completed runs, as the server counts them by cell. */
async function nodesByCell(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${OPERATOR}` } });
  const counts = new Map<string, number>();
  for (const [, cell = "", value] of (await response.text()).matchAll(
    /^sluice_runs_total\{cell="([^"]+)"[^}]*\} (\S+)$/gm,
  )) {
    counts.set(cell, (counts.get(cell) ?? 0) + Number(value) * RUN_NODES);
  }
  return counts;
}

async function ask(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
