/**
 * `npm run bench -- --memory [MINUTES]`: the memory of a server over a day of activity in twenty minutes, or a part of it: 100,000
 * nodes a minute in runs of ten, some with an output of a megabyte, some that wait, while lists are read, runs are searched and
 * followed. After a quarter of the time everything is warm; from then on memory must not grow.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "../test/integration/support/postgres-instance.ts";
import { ask, type Tenant } from "./organisations.ts";
import { atLeast, atMost, table } from "./report.ts";
import { DIAMOND, DIAMOND_NODES, median } from "./runtime.ts";
import { HEADERS, migrate, residentMegabytes, type Server, startServer } from "./server.ts";

const NODES_PER_MINUTE = 100_000;
const CALLERS = 64;
const SAMPLE_MS = 1_000;
/** How much the last quarter may lie above the second. */
const GROWTH_MAX = 1.1;
/** A start with it is just below the 1 MiB that a request may have. */
const LARGE_TEXT = "x".repeat(1_000_000);

/** An output of a megabyte, and then a node that waits a second with it. */
const LARGE = JSON.stringify({
  name: "large",
  args: { text: { type: "string", required: true } },
  steps: [
    { id: "make", set: { text: "${text}" } },
    { id: "rest", wait: "1s", depends_on: ["make"] },
    { id: "end", command: "go", depends_on: ["rest"] },
  ],
});
const LARGE_EVERY = 500;
const READ_EVERY = 20;

interface Activity {
  /** Runs that have begun. */
  begun: number;
  /** Runs that have completed. */
  ended: number;
}

export async function measureMemory(root: string, minutes: number, print: (line: string) => void): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "sluice-memory-"));
  const postgres = await startPostgres({ fsync: true });
  let server: Server | null = null;
  try {
    migrate(root, postgres.url);
    const plan = { command: "serve", url: postgres.url, connections: CALLERS * 2 } as const;
    server = await startServer(root, join(data, "server"), plan);
    const tenant = { headers: HEADERS };
    await ask(server, "PUT", "/api/v1/workflows/diamond", tenant, { source: DIAMOND });
    await ask(server, "PUT", "/api/v1/workflows/large", tenant, { source: LARGE });
    const { samples, activity, seconds } = await measure(server, tenant, minutes, print);
    print(table("memory of a server", linesOf(samples, activity, seconds, minutes)));
  } finally {
    await server?.stop();
    await postgres.dispose();
    rmSync(data, { recursive: true, force: true });
  }
}

async function measure(server: Server, tenant: Tenant, minutes: number, print: (line: string) => void) {
  const activity: Activity = { begun: 0, ended: 0 };
  const began = performance.now();
  const forMs = minutes * 60_000;
  const passed = (): number => performance.now() - began;
  const dueRuns = (): number => (Math.min(passed(), forMs) / 60_000) * (NODES_PER_MINUTE / DIAMOND_NODES);
  const caller = async (): Promise<void> => {
    while (passed() < forMs) {
      if (activity.begun >= dueRuns()) await pause(5);
      else await act(server, tenant, activity);
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  const samples: number[] = [];
  while (passed() < forMs) {
    await pause(SAMPLE_MS);
    samples.push(residentMegabytes(server.pid));
    if (samples.length % 30 === 0) {
      const nodes = activity.ended * DIAMOND_NODES;
      print(`${Math.round(passed() / 1_000)} s: ${nodes} nodes, ${Math.round(samples.at(-1) ?? 0)} MB`);
    }
  }
  await callers;
  return { samples, activity, seconds: passed() / 1_000 };
}

/** A run to its end; now and then what people do besides. */
async function act(server: Server, tenant: Tenant, activity: Activity): Promise<void> {
  activity.begun += 1;
  const number = activity.begun;
  const what = number % LARGE_EVERY === 0 ? { workflow: "large", args: { text: LARGE_TEXT } } : { workflow: "diamond" };
  const labels = { customer: String(number % 1_000) };
  const run = JSON.parse(await ask(server, "POST", "/api/v1/runs?wait=30", tenant, { ...what, labels })) as {
    readonly id: string;
  };
  activity.ended += 1;
  if (number % READ_EVERY !== 0) return;
  await ask(server, "GET", "/api/v1/runs?limit=25", tenant);
  await ask(server, "GET", `/api/v1/runs?q=${number % 1_000}`, tenant);
  await ask(server, "GET", `/api/v1/runs/${run.id}/events?limit=100`, tenant);
}

function linesOf(samples: readonly number[], { ended }: Activity, seconds: number, minutes: number) {
  const quarter = (index: number): number => {
    const length = samples.length / 4;
    return median(samples.slice(Math.floor(index * length), Math.floor((index + 1) * length)));
  };
  const [second, last] = [quarter(1), quarter(3)];
  return [
    atMost("last quarter, as part of the second", last / second, "times", GROWTH_MAX),
    { what: "second quarter", ratio: null, value: second, unit: "MB", against: "" },
    { what: "last quarter", ratio: null, value: last, unit: "MB", against: "" },
    { what: "most", ratio: null, value: Math.max(...samples), unit: "MB", against: "" },
    atLeast("nodes", ended * DIAMOND_NODES, `in ${Math.round(seconds)} s`, minutes * NODES_PER_MINUTE),
  ];
}
