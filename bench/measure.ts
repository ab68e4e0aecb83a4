/** Everything that is measured, in order. */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { type BacklogPlan, measureBacklog } from "./backlog.ts";
import { clearBound, measureLoneBound, measureOwnerBound, measureReplicaBound } from "./bound.ts";
import { type BenchDatabase, openBenchEmbedded, openBenchPostgres } from "./database.ts";
import { measureEngine } from "./engine.ts";
import { type FlowPlan, measureFlow } from "./flow.ts";
import { measureGates } from "./gates.ts";
import { measureGoverned, measureGovernedRate } from "./governed.ts";
import { type InboxPlan, measureInbox } from "./inbox.ts";
import { measureTurns } from "./turns.ts";
import { type BesidePeer, measurePeers, type PeerPlan } from "./peer-process.ts";
import { peerTable } from "./peer-table.ts";
import { measureProcess } from "./process.ts";
import { createBenchDriver, DIAMOND, measureRuntime, prepare, type RuntimePlan } from "./runtime.ts";
import { measureStorage } from "./storage.ts";
import { measureStream, type StreamPlan } from "./stream.ts";
import { type DatabaseFigure, databaseTable, engineTable } from "./tables.ts";
import { measureToolVerdicts, toolVerdictTable } from "./tool-verdicts.ts";
import { measureWorkers, type WorkersPlan } from "./workers.ts";
import { measureWire } from "./wire.ts";

interface BenchPlan {
  readonly batches: number;
  readonly loneCommits: number;
  readonly runtime: RuntimePlan;
  readonly stream: StreamPlan;
  readonly peers: PeerPlan;
  /** A slow or busy machine leaves out what comes last rather than take longer. Null: it takes as long as it takes. */
  readonly budgetMs: number | null;
}

/** What may still come is begun only when this much of the budget is left. */
const PEER_MS = 40_000;
const EMBEDDED_MS = 90_000;

const QUICK: BenchPlan = {
  batches: 15,
  loneCommits: 500,
  runtime: {
    diamonds: 500,
    rounds: 3,
    idleRuns: 40,
    chains: [100, 1_000],
    fanOuts: [100, 1_000],
    growth: [100, 1_000],
  },
  stream: { clients: 200, fastNodes: 100, slowNodes: 10 },
  peers: {
    concurrent: 200,
    warmUp: 100,
    ours: 500,
    diamonds: 200,
    rounds: 1,
    idleRuns: 20,
    chain: 100,
    fanOut: 100,
    patienceMs: 30_000,
  },
  budgetMs: 280_000,
};

const FULL: BenchPlan = {
  batches: 60,
  loneCommits: 2_000,
  runtime: {
    diamonds: 4_000,
    rounds: 5,
    idleRuns: 200,
    chains: [100, 1_000, 5_000, 10_000],
    fanOuts: [100, 1_000, 10_000],
    growth: [10, 100, 1_000, 10_000],
  },
  stream: { clients: 1_000, fastNodes: 100, slowNodes: 20 },
  peers: {
    concurrent: 200,
    warmUp: 200,
    ours: 4_000,
    diamonds: 1_000,
    rounds: 3,
    idleRuns: 100,
    chain: 1_000,
    fanOut: 1_000,
    patienceMs: 600_000,
  },
  budgetMs: null,
};

async function measureDatabase(root: string, database: BenchDatabase, plan: BenchPlan): Promise<DatabaseFigure> {
  const { name, store, sql, url } = database;
  const isAlone = url === null;
  progress(`${name}: bounds`);
  await measureOwnerBound(store, 3, "warm");
  const ownerBound = await measureOwnerBound(store, plan.batches, "hot");
  const replicaBound = await measureReplicaBound(store, sql, plan.batches);
  await clearBound(sql);
  progress(`${name}: runtime`);
  const driver = createBenchDriver(store);
  await driver.start();
  const runtime = await measureRuntime(store, driver, plan.runtime);
  const storage = isAlone ? null : await measureStorage(sql, driver, await prepare(store, driver, DIAMOND));
  await driver.stop();
  // Last, beside the chains it is compared with, when everything is as warm as it was for them.
  const loneCommitMs = await measureLoneBound(store, plan.loneCommits);
  await clearBound(sql);
  progress(`${name}: governed`);
  const governed = await measureGoverned(store, isAlone ? null : sql, plan.runtime);
  const gates = isAlone ? [] : await measureGates(store);
  progress(`${name}: streams`);
  const stream = isAlone ? null : await measureStream(store, plan.stream);
  progress(`${name}: through a Bridge`);
  const wire = await measureWire(root, store, plan.runtime);
  progress(`${name}: the program`);
  const server = await measureProcess(root, database);
  const bounds = { ownerBound, replicaBound, loneCommitMs };
  return { name, ...bounds, runtime, governed, wire, storage, process: server, gates, stream };
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A benchmark takes minutes: this shows the person who waits that it makes progress. */
function progress(what: string): void {
  log(`${String(Math.round(performance.now() / 1_000)).padStart(4)} s  ${what}`);
}

function hasTime({ budgetMs }: BenchPlan, neededMs: number): boolean {
  return budgetMs === null || performance.now() + neededMs < budgetMs;
}

interface Measured {
  readonly figure: DatabaseFigure;
  readonly peers: readonly BesidePeer[];
}

/** Ours, and then the peers, on the same server as long as it is up. */
async function measureOn(
  open: () => Promise<BenchDatabase>,
  root: string,
  plan: BenchPlan,
  withPeers: boolean,
): Promise<Measured> {
  const database = await open();
  const { sql, store, url } = database;
  try {
    const figure = await measureDatabase(root, database, plan);
    print(databaseTable(figure));
    if (!withPeers || url === null) return { figure, peers: [] };
    const ours = (): Promise<number> => measureGovernedRate(store, plan.peers.ours);
    const ground = { root, sql, url, ours, hasTime: () => hasTime(plan, PEER_MS), print: progress };
    const peers = await measurePeers(ground, plan.peers);
    print(peerTable(figure.governed, peers));
    return { figure, peers };
  } finally {
    await database.close();
  }
}

function valueOf(flags: readonly string[], flag: string): string | undefined {
  return flags.includes(flag) ? flags[flags.indexOf(flag) + 1] : undefined;
}

/** Null: something else is to be measured. */
function backlogOf(flags: readonly string[]): BacklogPlan | null {
  const runs = Number(valueOf(flags, "--backlog") ?? 0);
  if (!Number.isSafeInteger(runs) || runs < 1) return null;
  const on = valueOf(flags, "--on") === "embedded" ? "embedded" : "postgres";
  return { runs, on, replicas: Number(valueOf(flags, "--replicas") ?? 1), hasKill: flags.includes("--kill") };
}

/** Null: something else is to be measured. */
function flowOf(flags: readonly string[]): FlowPlan | null {
  if (!flags.includes("--flow")) return null;
  const waiting = Number(valueOf(flags, "--waiting") ?? 100_000);
  return { waiting, fileMegabytes: Number(valueOf(flags, "--file-megabytes") ?? 1_024) };
}

const INBOX_APPROVALS = 5_000;

/** `--workers [FUNCTIONS] [--on postgres|embedded]` */
function workersOf(flags: readonly string[]): WorkersPlan | null {
  if (!flags.includes("--workers")) return null;
  const named = Number(valueOf(flags, "--workers"));
  const on = valueOf(flags, "--on") === "embedded" ? "embedded" : "postgres";
  return { functions: Number.isSafeInteger(named) && named > 0 ? named : FUNCTIONS, on };
}

const FUNCTIONS = 10_000;

/** Null: something else is to be measured. */
function inboxOf(flags: readonly string[]): InboxPlan | null {
  if (!flags.includes("--inbox")) return null;
  const named = Number(valueOf(flags, "--inbox"));
  const on = valueOf(flags, "--on") === "postgres" ? "postgres" : "embedded";
  return { approvals: Number.isSafeInteger(named) && named > 0 ? named : INBOX_APPROVALS, on };
}

const TURNS = 2_000;

/** `root`: the checkout, whose program is started and whose results are kept. */
export async function measure(root: string, flags: readonly string[]): Promise<void> {
  const backlog = backlogOf(flags);
  if (backlog !== null) return measureBacklog(root, backlog, log);
  const flow = flowOf(flags);
  if (flow !== null) return measureFlow(root, flow, log);
  if (flags.includes("--turns")) return measureTurns(root, { turns: TURNS }, log);
  const workers = workersOf(flags);
  if (workers !== null) return measureWorkers(root, workers, log);
  const inbox = inboxOf(flags);
  if (inbox !== null) return measureInbox(root, inbox, log);
  const isQuick = flags.includes("--quick");
  const plan = isQuick ? QUICK : FULL;
  progress("engine");
  const engine = measureEngine();
  print(engineTable(engine));
  progress("tool calls");
  const toolVerdicts = await measureToolVerdicts();
  print(toolVerdictTable(toolVerdicts));
  const measured: Measured[] = [];
  measured.push(await measureOn(openBenchPostgres, root, plan, !flags.includes("--no-peers")));
  if (hasTime(plan, EMBEDDED_MS)) measured.push(await measureOn(openBenchEmbedded, root, plan, false));
  else print("embedded: left out, this run has no time left for it");
  const machine = {
    cpu: cpus()[0]?.model ?? "",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  const date = new Date().toISOString();
  const databases = measured.map(({ figure }) => figure);
  const result = {
    date,
    machine,
    isQuick,
    engine,
    toolVerdicts,
    databases,
    peers: measured.flatMap(({ peers }) => peers),
  };
  if (flags.includes("--save")) {
    const directory = join(root, "bench", "results");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${date.replaceAll(/[:.]/g, "-")}.json`), `${JSON.stringify(result, null, 2)}\n`);
  }
  if (flags.includes("--json")) process.stdout.write(`${JSON.stringify(result)}\n`);
}
