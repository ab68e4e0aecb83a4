/**
 * `npm run bench -- --tenants [SECONDS]`: a quiet organisation beside one that floods the server over 200 connections, and priorities
 * within the flood. A run of ten nodes is started and waited for over HTTP, alone and then beside the flood.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "../test/integration/support/postgres-instance.ts";
import { ask, makeTenant, type Tenant } from "./organisations.ts";
import { atLeast, atMost, type Line, table } from "./report.ts";
import { DIAMOND, median } from "./runtime.ts";
import { migrate, type Server, startServer } from "./server.ts";

const FLOODING = 200;
/** Between two runs of the quiet organisation. */
const REST_MS = 50;
const SETTLE_MS = 5_000;
const WARM_UP_MS = 10_000;
/** The longest a start may wait for the end of its run. */
const WAIT_SECONDS = 30;
const LOOK_MS = 100;
/** So many runs a caller of the flood starts without looking, before it waits for one: 4,000 are open at a time. */
const UNSEEN = 20;
/** Runs of each priority that are started into the flood. */
const RANKED = 10;
const SLOWER_MAX = 3;

type Priority = "high" | "normal" | "low";

export async function measureTenants(root: string, seconds: number, print: (line: string) => void): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "sluice-tenants-"));
  const postgres = await startPostgres({ fsync: true });
  let server: Server | null = null;
  try {
    migrate(root, postgres.url);
    const plan = { command: "serve", url: postgres.url, connections: FLOODING + 50 } as const;
    server = await startServer(root, join(data, "server"), plan);
    const [quiet, flooding] = [await tenantOf(server, "quiet"), await tenantOf(server, "flooding")];
    await warmUp(server, quiet, flooding);
    const alone = await runsOf(server, quiet, seconds * 1_000);
    const flood = startFlood(server, flooding);
    await pause(SETTLE_MS);
    const beside = await runsOf(server, quiet, seconds * 1_000);
    const ranked = await rankedRuns(server, flooding);
    const flooded = await flood.stop();
    print(table("a quiet organisation beside a flooding one", quietLines(alone, beside, flooded)));
    print(table("priorities within the flood", rankedLines(ranked)));
  } finally {
    await server?.stop();
    await postgres.dispose();
    rmSync(data, { recursive: true, force: true });
  }
}

async function tenantOf(server: Server, id: string): Promise<Tenant> {
  const tenant = await makeTenant(server, id);
  await ask(server, "PUT", "/api/v1/workflows/diamond", tenant, { source: DIAMOND });
  return tenant;
}

/** Milliseconds from the request until the run has completed. */
async function oneRun(server: Server, tenant: Tenant, priority: Priority = "normal"): Promise<number> {
  const began = performance.now();
  const start = `/api/v1/runs?wait=${WAIT_SECONDS}`;
  let run = runIn(await ask(server, "POST", start, tenant, { workflow: "diamond", priority }));
  while (run.status === "queued" || run.status === "running") {
    await pause(LOOK_MS);
    run = runIn(await ask(server, "GET", `/api/v1/runs/${run.id}`, tenant));
  }
  if (run.status !== "completed") throw new Error(`a run is ${run.status}`);
  return performance.now() - began;
}

function runIn(text: string): { readonly id: string; readonly status: string } {
  return JSON.parse(text) as { readonly id: string; readonly status: string };
}

/** A server that has been running has compiled what it does most. The last run of the flood ends when all have. */
async function warmUp(server: Server, quiet: Tenant, flooding: Tenant): Promise<void> {
  const flood = startFlood(server, flooding);
  await runsOf(server, quiet, WARM_UP_MS);
  await flood.stop();
  await oneRun(server, flooding);
}

async function runsOf(server: Server, tenant: Tenant, forMs: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (const end = performance.now() + forMs; performance.now() < end; await pause(REST_MS)) {
    times.push(await oneRun(server, tenant));
  }
  return times;
}

/** 200 callers, each of which starts runs one after the other, and waits for every twentieth. */
function startFlood(server: Server, tenant: Tenant): { stop(): Promise<Flooded> } {
  const began = performance.now();
  const standing = { isOver: false, started: 0 };
  const caller = async (): Promise<void> => {
    for (let own = 1; !standing.isOver; own += 1) {
      if (own % UNSEEN === 0) await oneRun(server, tenant);
      else await ask(server, "POST", "/api/v1/runs", tenant, { workflow: "diamond" });
      standing.started += 1;
    }
  };
  const callers = Promise.all(Array.from({ length: FLOODING }, caller));
  return {
    async stop() {
      standing.isOver = true;
      await callers;
      return { started: standing.started, seconds: (performance.now() - began) / 1_000 };
    },
  };
}

interface Flooded {
  readonly started: number;
  readonly seconds: number;
}

type Ranked = Readonly<Record<Priority, readonly number[]>>;

async function rankedRuns(server: Server, tenant: Tenant): Promise<Ranked> {
  const of = (priority: Priority) =>
    Promise.all(Array.from({ length: RANKED }, () => oneRun(server, tenant, priority)));
  const [high, normal, low] = await Promise.all([of("high"), of("normal"), of("low")]);
  return { high, normal, low };
}

function quietLines(
  alone: readonly number[],
  beside: readonly number[],
  { started, seconds }: Flooded,
): readonly Line[] {
  const [before, during] = [percentile95(alone), percentile95(beside)];
  return [
    { what: "a run alone, p95", ratio: null, value: before, unit: "ms", against: "" },
    { what: "beside the flood, p95", ratio: null, value: during, unit: "ms", against: "" },
    atMost("how many times as long", during / before, "times", SLOWER_MAX),
    { what: "runs measured beside the flood", ratio: null, value: beside.length, unit: "runs", against: "" },
    { what: "starts of the flood", ratio: null, value: started / seconds, unit: "per second", against: "" },
  ];
}

function rankedLines({ high, normal, low }: Ranked): readonly Line[] {
  return [
    atMost("high, as part of normal", median(high) / median(normal), `of ${Math.round(median(normal))} ms`, 1),
    atLeast(
      "low, runs that completed while the flood went on",
      low.length,
      `after ${Math.round(median(low))} ms`,
      RANKED,
    ),
  ];
}

function percentile95(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
}
