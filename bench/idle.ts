/**
 * `npm run bench -- --idle [RUNS] [ORGANISATIONS]`: what a server costs that has nothing to do. Many runs of many
 * organisations wait for an event, pages are open, and for a while it is measured what the server and its database use.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../src/store/postgres/index.ts";
import type { Sql } from "../src/store/index.ts";
import { startPostgres } from "../test/integration/support/postgres-instance.ts";
import { ask, makeTenant, type Tenant } from "./organisations.ts";
import { processorSecondsOf, processorSecondsOfPostgres } from "./processor-time.ts";
import { atMost, table } from "./report.ts";
import { migrate, residentMegabytes, type Server, startServer } from "./server.ts";

const PAGES = 100;
const CONNECTIONS = 16;
/** Segments of the audit are closed a minute after the last entry. */
const SETTLE_MS = 100_000;
const MEASURE_MS = 30_000;
const START_MS_MAX = 2_000;
const CORE_PERCENT_MAX = 2;
const TRANSACTIONS_MAX = 20;
const MEGABYTES_MAX = 200;
const WORKFLOW = JSON.stringify({ name: "waiting", steps: [{ id: "hold", wait: { event: "never" } }] });

export async function measureIdle(
  root: string,
  plan: { readonly runs: number; readonly organisations: number },
  print: (line: string) => void,
): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "sluice-idle-"));
  const postgres = await startPostgres({ fsync: false });
  const sql = openPostgres({ url: postgres.url, connections: 1 });
  let server: Server | null = null;
  const pages = new AbortController();
  const start = (): Promise<Server> =>
    startServer(root, join(data, "server"), { command: "serve", url: postgres.url, connections: CONNECTIONS });
  try {
    migrate(root, postgres.url);
    server = await start();
    const tenants = await makeTenants(server, plan.organisations);
    await startRuns(server, tenants, plan.runs);
    await server.stop();
    const before = performance.now();
    server = await start();
    const startMs = performance.now() - before;
    // Each organisation is known to the server, as after a day of work.
    const restarted = server;
    await inParallel(tenants, (tenant) => ask(restarted, "GET", "/api/v1/runs?limit=1", tenant));
    for (const tenant of tenants.slice(0, PAGES)) void openPage(server, tenant, pages.signal);
    await pause(SETTLE_MS);
    await report(server, sql, startMs, print);
  } finally {
    pages.abort();
    await server?.stop();
    await sql.close();
    await postgres.dispose();
    rmSync(data, { recursive: true, force: true });
  }
}

async function makeTenants(server: Server, count: number): Promise<readonly Tenant[]> {
  const ids = Array.from({ length: count }, (_, index) => `org-${index}`);
  const tenants: Tenant[] = [];
  await inParallel(ids, async (id) => {
    const tenant = await makeTenant(server, id);
    await ask(server, "PUT", "/api/v1/workflows/waiting", tenant, { source: WORKFLOW });
    tenants.push(tenant);
  });
  return tenants;
}

function startRuns(server: Server, tenants: readonly Tenant[], runs: number): Promise<void> {
  const numbers = Array.from({ length: runs }, (_, index) => index);
  return inParallel(numbers, async (index) => {
    const tenant = tenants[index % tenants.length];
    if (tenant !== undefined) await ask(server, "POST", "/api/v1/runs", tenant, { workflow: "waiting" });
  });
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items].reverse();
  const go = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, go));
}

async function openPage({ url }: Server, { headers }: Tenant, signal: AbortSignal): Promise<void> {
  try {
    const reply = await fetch(`${url}/api/v1/live`, { headers, signal });
    await reply.body?.pipeTo(new WritableStream(), { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Reading {
  readonly transactions: number;
  readonly serverSeconds: number;
  readonly databaseSeconds: number;
}

async function report(server: Server, sql: Sql, startMs: number, print: (line: string) => void): Promise<void> {
  const before = await read(server, sql);
  await pause(MEASURE_MS);
  const after = await read(server, sql);
  const seconds = MEASURE_MS / 1_000;
  const share = (spent: number): number => (spent / seconds) * 100;
  const lines = [
    atMost("start", startMs, "ms", START_MS_MAX),
    atMost("Node", share(after.serverSeconds - before.serverSeconds), "% of a core", CORE_PERCENT_MAX),
    atMost("Postgres", share(after.databaseSeconds - before.databaseSeconds), "% of a core", CORE_PERCENT_MAX),
    atMost("transactions", (after.transactions - before.transactions) / seconds, "per second", TRANSACTIONS_MAX),
    atMost("RSS", residentMegabytes(server.pid), "MB", MEGABYTES_MAX),
  ];
  print(table("a server that has nothing to do", lines));
}

async function read({ pid }: Server, sql: Sql): Promise<Reading> {
  const text = "select xact_commit::int as count from pg_stat_database where datname = current_database()";
  const [row] = await sql.query<{ readonly count: number }>({ name: "count transactions", text });
  return {
    transactions: row?.count ?? 0,
    serverSeconds: processorSecondsOf(pid),
    databaseSeconds: await processorSecondsOfPostgres(sql),
  };
}
