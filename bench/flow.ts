/**
 * `npm run bench -- --flow [--waiting RUNS] [--file-megabytes N]`: what calculating, repeating, waiting and files cost. Every
 * figure stands beside its bar.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Json } from "../src/core/base/index.ts";
import { evaluate, parseExpression, walk } from "../src/core/expression/index.ts";
import { startPostgres } from "../test/integration/support/postgres-instance.ts";
import { openBenchPostgres } from "./database.ts";
import { createBenchDriver, prepare } from "./runtime.ts";
import { HEADERS, migrate, putTo, residentMegabytes, type Server, startServer } from "./server.ts";

export interface FlowPlan {
  readonly waiting: number;
  readonly fileMegabytes: number;
}

const CONNECTIONS = 32;

type Print = (line: string) => void;

export async function measureFlow(root: string, plan: FlowPlan, print: Print): Promise<void> {
  measureExpressions(print);
  await measureNodes(print);
  const data = mkdtempSync(join(tmpdir(), "sluice-flow-"));
  const postgres = await startPostgres({ fsync: true });
  let server: Server | null = null;
  try {
    migrate(root, postgres.url);
    server = await startServer(root, join(data, "server"), {
      command: "up",
      url: postgres.url,
      connections: CONNECTIONS,
    });
    await measureFile(server, plan.fileMegabytes, print);
    await measureWaiting(server, plan.waiting, print);
  } finally {
    await server?.stop();
    await postgres.dispose();
    rmSync(data, { recursive: true, force: true });
  }
}

const EXPRESSIONS = ["price * quantity", "total > 100 and status == 'open'", "order.lines[0].price", "name + ' x'"];
const VALUES: Json = {
  price: 12,
  quantity: 3,
  total: 120,
  status: "open",
  name: "a",
  order: { lines: [{ price: 4 }] },
};
const EVALUATIONS = 400_000;

function measureExpressions(print: Print): void {
  for (const text of EXPRESSIONS) {
    const parsed = parseExpression(text);
    if (!parsed.ok) throw new Error(parsed.failure.message);
    const { root } = parsed.value;
    const run = (): void => void evaluate(root, (path) => walk(VALUES, path.segments));
    for (let count = 0; count < 20_000; count += 1) run();
    const began = performance.now();
    for (let count = 0; count < EVALUATIONS; count += 1) run();
    const perSecond = (EVALUATIONS * 1_000) / (performance.now() - began);
    print(`expression \`${text}\`: ${Math.round(perSecond)}/s (bar 500,000)`);
  }
}

const SET_NODES = 10_000;
const ROUNDS = 1_000;

/** On Postgres, with every commit: what is calculated takes no slot and no request. */
async function measureNodes(print: Print): Promise<void> {
  const database = await openBenchPostgres();
  const driver = createBenchDriver(database.store);
  try {
    await driver.start();
    const steps = Array.from({ length: SET_NODES }, (_, index) =>
      index === 0
        ? { id: "n0", set: { n: 0 } }
        : { id: `n${index}`, set: { n: { expr: `n${index - 1}.outputs.n + 1` } } },
    );
    const sets = await prepare(database.store, driver, JSON.stringify({ name: "sets", steps }));
    await sets.run();
    const began = performance.now();
    await sets.run();
    const perNode = (performance.now() - began) / SET_NODES;
    print(`${SET_NODES} set nodes in one run: ${perNode.toFixed(3)} ms each (bar 0.1)`);
    const few = await measureRounds(database.store, driver, ROUNDS / 10);
    const many = await measureRounds(database.store, driver, ROUNDS);
    print(
      `repeat: ${few.toFixed(3)} ms per round of ${ROUNDS / 10}, ${many.toFixed(3)} of ${ROUNDS} (${(many / few).toFixed(2)} of it, bar: flat)`,
    );
  } finally {
    await driver.stop();
    await database.close();
  }
}

async function measureRounds(
  store: Parameters<typeof prepare>[0],
  driver: Parameters<typeof prepare>[1],
  rounds: number,
): Promise<number> {
  const step = {
    id: "r",
    set: { n: { expr: "round" } },
    repeat: { until: "false", max: rounds, on_exhausted: "continue" },
  };
  const runner = await prepare(store, driver, JSON.stringify({ name: "rounds", steps: [step] }));
  await runner.run();
  const began = performance.now();
  await runner.run();
  return (performance.now() - began) / rounds;
}

const PART_BYTES = 8 * 1_048_576;

/** Up in parts and down again; the memory of the server is looked at all the time. */
async function measureFile({ pool, pid }: Server, megabytes: number, print: Print): Promise<void> {
  const parts = Math.ceil((megabytes * 1_048_576) / PART_BYTES);
  const part = (index: number): Buffer => Buffer.alloc(PART_BYTES, `part ${index} `);
  const hash = createHash("sha256");
  for (let index = 1; index <= parts; index += 1) hash.update(part(index));
  const sha256 = hash.digest("hex");
  const before = residentMegabytes(pid);
  let peak = before;
  const look = setInterval(() => (peak = Math.max(peak, residentMegabytes(pid))), 50);
  const began = performance.now();
  const about = { name: "big.bin", mime: "application/octet-stream", size: parts * PART_BYTES, sha256 };
  const upload = await ask(pool, "POST", "/api/v1/files/uploads", JSON.stringify(about));
  const path = `/api/v1/files/uploads/${String(upload["id"])}`;
  for (let index = 1; index <= parts; index += 1) {
    const headers = { ...HEADERS, "content-type": "application/octet-stream" };
    const reply = await pool.request({ method: "PUT", path: `${path}/parts/${index}`, headers, body: part(index) });
    if (reply.statusCode >= 300) throw new Error(`part ${index}: ${reply.statusCode} ${await reply.body.text()}`);
    await reply.body.dump();
  }
  await ask(pool, "POST", `${path}/complete`, "");
  const up = performance.now();
  const reply = await pool.request({ method: "GET", path: `/api/v1/files/${sha256}`, headers: HEADERS });
  const received = createHash("sha256");
  for await (const chunk of reply.body) received.update(chunk as Buffer);
  const down = performance.now();
  clearInterval(look);
  if (received.digest("hex") !== sha256) throw new Error("another file came back");
  const rate = (from: number, to: number): number => Math.round((megabytes * 1_000) / (to - from));
  print(
    `${megabytes} MiB file: up ${rate(began, up)} MiB/s, down ${rate(up, down)} MiB/s; ${Math.round(peak - before)} MB more memory (bar 64)`,
  );
}

type Pool = Server["pool"];

async function ask(pool: Pool, method: "POST" | "GET", path: string, body?: string): Promise<Record<string, unknown>> {
  const reply = await pool.request({ method, path, headers: HEADERS, ...(body === undefined ? {} : { body }) });
  const text = await reply.body.text();
  if (reply.statusCode >= 300) throw new Error(`${method} ${path} answered ${reply.statusCode}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

const WAITER = JSON.stringify({
  name: "waiter",
  args: { order: "" },
  steps: [{ id: "paid", wait: { event: "order.paid", match: { order: "${order}" }, timeout: "7d" } }],
});
const EVENTS = 200;
const LOOKS = 6;
const LOOK_MS = 10_000;

/** All wait for an event of their own, and for a timer; then some events come, each when the run of the one before has gone on. */
async function measureWaiting(server: Server, runs: number, print: Print): Promise<void> {
  const { pool, pid } = server;
  await putTo(server, "/api/v1/workflows/waiter", { source: WAITER });
  let started = 0;
  const ids = new Map<number, string>();
  const lane = async (): Promise<void> => {
    while (started < runs) {
      const order = (started += 1);
      const body = JSON.stringify({ workflow: "waiter", args: { order: String(order) } });
      ids.set(order, String((await ask(pool, "POST", "/api/v1/runs", body))["id"]));
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  print(`${runs} runs wait, started in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  // What follows a start (its audit is sealed, its messages are made) is no part of waiting.
  for (let look = 0; look < LOOKS; look += 1) {
    const before = processorMs(pid);
    await pause(LOOK_MS);
    const share = (processorMs(pid) - before) / LOOK_MS;
    print(`idle: ${(share * 100).toFixed(2)} % of a core (bar 1), ${Math.round(residentMegabytes(pid))} MB`);
  }
  const taken: number[] = [];
  const continued: number[] = [];
  const gone: number[] = [];
  for (let index = 0; index < EVENTS; index += 1) {
    const order = 1 + Math.floor((index * runs) / EVENTS);
    const body = JSON.stringify({ type: "order.paid", key: { order: String(order) }, data: { amount: index } });
    const sent = performance.now();
    const { data } = await ask(pool, "POST", "/api/v1/events", body);
    taken.push(performance.now() - sent);
    const path = `/api/v1/runs/${ids.get(order)}`;
    let run = await ask(pool, "GET", path);
    for (; run["status"] !== "completed"; run = await ask(pool, "GET", path)) await pause(1);
    gone.push(performance.now() - sent);
    const [event] = data as readonly { readonly receivedAt: string }[];
    continued.push(Date.parse(String(run["completedAt"])) - Date.parse(String(event?.receivedAt)));
  }
  print(`an event is taken in ${spreadOf(taken)} ms (bar 5)`);
  print(`its run goes on ${spreadOf(continued)} ms later by the time of the database (bar: p95 5)`);
  print(`a client that asks every millisecond sees it after ${spreadOf(gone)} ms`);
}

function spreadOf(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
  return `${at(0.5)} (p95 ${at(0.95)})`;
}

/** Of both kinds: own code and the kernel's. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const ticks = Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  return ticks * 10;
}
