/**
 * `npm run bench -- --backlog RUNS [--on postgres|embedded] [--replicas N] [--kill]`: many more runs are started than can be
 * worked off, as fast as 32 connections can, and it is measured what that does to the nodes per second and to the memory
 * of the server. The rate without a backlog is measured first, on the same server.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../src/store/postgres/index.ts";
import type { Sql } from "../src/store/index.ts";
import { startPostgres } from "../test/integration/support/postgres-instance.ts";
import { HEADERS, migrate, putTo, residentMegabytes, type Server, startServer } from "./server.ts";

export interface BacklogPlan {
  readonly runs: number;
  readonly on: "postgres" | "embedded";
  readonly replicas: number;
  /** One replica is killed in the middle, and started again. */
  readonly hasKill: boolean;
}

const CONNECTIONS = 32;
const NODES = 10;
/** Open runs while the rate without a backlog is measured: enough to keep all slots of the agent busy. */
const OPEN_WITHOUT = 64;
const SAMPLE_MS = 1_000;

/** One node, two waves of four, one join; nodes may wait as long as the backlog lasts. */
const WORKFLOW = JSON.stringify({
  name: "diamond",
  steps: [
    { id: "a", command: "go", queue_timeout: 86_400 },
    ...["b", "c", "d", "e"].map((id) => ({ id, command: "go", depends_on: ["a"], queue_timeout: 86_400 })),
    ...["f", "g", "h", "i"].map((id, index) => ({
      id,
      command: "go",
      depends_on: ["b", "c", "d", "e"].slice(index, index + 1),
      queue_timeout: 86_400,
    })),
    { id: "j", command: "go", depends_on: ["f", "g", "h", "i"], queue_timeout: 86_400 },
  ],
});

export async function measureBacklog(root: string, plan: BacklogPlan, print: (line: string) => void): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "sluice-backlog-"));
  const postgres = plan.on === "postgres" ? await startPostgres({ fsync: true }) : null;
  const sql = postgres === null ? null : openPostgres({ url: postgres.url, connections: 1 });
  const start = (index: number): Promise<Server> =>
    startServer(root, join(data, `server-${index}`), {
      command: plan.replicas > 1 ? "serve" : "up",
      url: postgres?.url ?? null,
      connections: CONNECTIONS,
    });
  const servers: Server[] = [];
  try {
    if (postgres !== null) migrate(root, postgres.url);
    for (let index = 0; index < plan.replicas; index += 1) servers.push(await start(index));
    await putTo(at(servers, 0), "/api/v1/workflows/diamond", { source: WORKFLOW });
    const without = await measureWithout(servers, Math.min(plan.runs, 3_000));
    print(`without a backlog: ${Math.round(without)} nodes/s`);
    await flood(servers, plan, { without, sql, start, print });
  } finally {
    for (const server of servers) await server.stop();
    await sql?.close();
    await postgres?.dispose();
    rmSync(data, { recursive: true, force: true });
  }
}

/** True: started. A request that is refused with a time to wait is repeated. */
async function startRun({ pool }: Server): Promise<boolean> {
  const body = JSON.stringify({ workflow: "diamond" });
  const reply = await pool.request({ method: "POST", path: "/api/v1/runs", headers: HEADERS, body });
  const text = await reply.body.text();
  if (reply.statusCode === 201) return true;
  if (reply.statusCode !== 429 && reply.statusCode !== 503) throw new Error(`a start: ${reply.statusCode} ${text}`);
  await pause(100);
  return false;
}

/** Nodes and runs that ended, as the servers count them since they began. */
async function counts(servers: readonly Server[]): Promise<{ readonly nodes: number; readonly runs: number }> {
  let nodes = 0;
  let runs = 0;
  for (const { pool } of servers) {
    const reply = await pool.request({ method: "GET", path: "/metrics", headers: HEADERS });
    const text = await reply.body.text();
    nodes += sumOf(text, "sluice_nodes_total");
    runs += sumOf(text, "sluice_runs_total");
  }
  return { nodes, runs };
}

function sumOf(text: string, name: string): number {
  let sum = 0;
  for (const [, value] of text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))) sum += Number(value);
  return sum;
}

/** As many runs open as keep the agent busy, and no more. */
async function measureWithout(servers: readonly Server[], total: number): Promise<number> {
  const before = await counts(servers);
  const began = performance.now();
  let started = 0;
  let ended = 0;
  while (ended < total) {
    const wanted = Math.min(total - started, OPEN_WITHOUT - (started - ended));
    const begun = await Promise.all(Array.from({ length: wanted }, (_, index) => startRun(at(servers, index))));
    started += begun.filter(Boolean).length;
    ended = (await counts(servers)).runs - before.runs;
  }
  return (((await counts(servers)).nodes - before.nodes) * 1_000) / (performance.now() - began);
}

function at(servers: readonly Server[], index: number): Server {
  const server = servers[index % servers.length];
  if (server === undefined) throw new Error("there is no server");
  return server;
}

interface Flood {
  readonly without: number;
  readonly sql: Sql | null;
  readonly start: (index: number) => Promise<Server>;
  readonly print: (line: string) => void;
}

async function flood(servers: Server[], plan: BacklogPlan, { without, sql, start, print }: Flood): Promise<void> {
  const before = await counts(servers);
  let lost = { nodes: 0, runs: 0 };
  const endedNow = async () => {
    const now = await counts(servers);
    return { nodes: now.nodes + lost.nodes - before.nodes, runs: now.runs + lost.runs - before.runs };
  };
  const began = performance.now();
  let started = 0;
  const lane = async (number: number): Promise<void> => {
    while (started < plan.runs) {
      started += 1;
      // A server that was killed refuses at once: others must have their turn before it is asked again.
      while (!(await startRun(at(servers, number)).catch(() => pause(50, false))));
    }
  };
  const starting = Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => lane(index)));
  let isStarting = true;
  void starting.finally(() => (isStarting = false));
  let peak = 0;
  let afterStarts: { readonly at: number; readonly nodes: number } | null = null;
  let hasKilled = !plan.hasKill;
  for (;;) {
    await pause(SAMPLE_MS);
    const now = await endedNow();
    peak = Math.max(peak, ...servers.map(({ pid }) => residentMegabytes(pid)));
    if (!isStarting && afterStarts === null) {
      afterStarts = { at: performance.now(), nodes: now.nodes };
      const rate = (now.nodes * 1_000) / (afterStarts.at - began);
      print(`starting ${plan.runs} runs: ${seconds(began)} s, ${Math.round(rate)} nodes/s (${ratio(rate, without)})`);
    }
    print(`  ${seconds(began)} s: ${started} started, ${now.runs} ended, ${Math.round(peak)} MB at most`);
    if (!hasKilled && now.runs > plan.runs / 2) {
      hasKilled = true;
      const current = await counts([at(servers, 0)]);
      lost = { nodes: lost.nodes + current.nodes, runs: lost.runs + current.runs };
      await at(servers, 0).kill();
      servers[0] = await start(plan.replicas);
    }
    // A killed server loses what it counted since the last look: then the database shows when all have ended.
    const isOver = sql === null ? now.runs >= plan.runs : (await openRuns(sql)) === 0;
    if (!isStarting && isOver) break;
  }
  const total = await endedNow();
  const drained = afterStarts ?? { at: began, nodes: 0 };
  const rate = ((total.nodes - drained.nodes) * 1_000) / (performance.now() - drained.at);
  print(`draining: ${seconds(drained.at)} s, ${Math.round(rate)} nodes/s (${ratio(rate, without)})`);
  const overall = (plan.runs * NODES * 1_000) / (performance.now() - began);
  print(`in all: ${Math.round(overall)} nodes/s (${ratio(overall, without)}), ${Math.round(peak)} MB at most`);
  if (sql !== null) print(`left over: ${JSON.stringify(await leftovers(sql))}`);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(0);
}

function ratio(rate: number, without: number): string {
  return `${(rate / without).toFixed(2)} of the rate without`;
}

async function openRuns(sql: Sql): Promise<number> {
  const text = "select count(*)::int as open from run_heads where status in ('queued', 'running', 'recovered')";
  const [row] = await sql.query<{ open: number }>({ name: "", text });
  return row?.open ?? 0;
}

/** Rows that must not outlive their runs, and runs that did not complete. */
async function leftovers(sql: Sql): Promise<Readonly<Record<string, number>>> {
  const text = `select (select count(*)::int from open_attempts) as attempts, (select count(*)::int from timers) as timers,
    (select count(*)::int from waiting_nodes) as waits,
    (select count(*)::int from run_heads where status <> 'completed') as incomplete,
    (select coalesce(sum(open), 0)::int from agent_counters) as slots`;
  const [row] = await sql.query<Record<string, number>>({ name: "", text });
  return row ?? {};
}
