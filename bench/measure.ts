/** Everything that is measured, in order, and how it is shown. */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { clearBound, measureLoneBound, measureOwnerBound, measureReplicaBound } from "./bound.ts";
import { type BenchDatabase, openBenchEmbedded, openBenchPostgres } from "./database.ts";
import { type EngineFigure, measureEngine } from "./engine.ts";
import { type GovernedFigure, measureGoverned } from "./governed.ts";
import { measureProcess, type ProcessFigure } from "./process.ts";
import { type Line, table } from "./report.ts";
import {
  createBenchDriver,
  DIAMOND,
  measureRuntime,
  prepare,
  type RuntimeFigure,
  type RuntimePlan,
  type ShapeFigure,
} from "./runtime.ts";
import { measureStorage, type StorageFigure } from "./storage.ts";
import { measureWire, type WireFigure } from "./wire.ts";

const QUICK: RuntimePlan = { diamonds: 1_000, rounds: 3, idleRuns: 40, chains: [100, 1_000], fanOuts: [100, 1_000] };
const FULL: RuntimePlan = {
  diamonds: 4_000,
  rounds: 5,
  idleRuns: 200,
  chains: [100, 1_000, 5_000, 10_000],
  fanOuts: [100, 1_000, 10_000],
};

/** The figures a machine of two cores shared with its database should reach. */
const BARS = {
  postgres: {
    perSecond: 3_000,
    wirePerSecond: 1_500,
    governedPerSecond: 2_500,
    idleMs: 20,
    chainMs: 2,
    fanOutMs: 1,
    megabytes: 150,
    startMs: 2_000,
  },
  embedded: {
    perSecond: 1_500,
    wirePerSecond: null,
    governedPerSecond: null,
    idleMs: 20,
    chainMs: 4,
    fanOutMs: 1,
    megabytes: 450,
    startMs: 2_000,
  },
} as const;
const COMMITS_MAX = 14;
const WAL_KILOBYTES_MAX = 80;

interface DatabaseFigure {
  readonly name: BenchDatabase["name"];
  readonly ownerBound: number;
  readonly replicaBound: number;
  readonly loneCommitMs: number;
  readonly runtime: RuntimeFigure;
  readonly governed: GovernedFigure;
  readonly wire: WireFigure;
  readonly storage: StorageFigure | null;
  readonly process: ProcessFigure;
}

async function measureDatabase(
  open: () => Promise<BenchDatabase>,
  root: string,
  isQuick: boolean,
): Promise<DatabaseFigure> {
  const database = await open();
  const { name, store, sql, url } = database;
  try {
    const batches = isQuick ? 15 : 60;
    await measureOwnerBound(store, 3, "warm");
    const ownerBound = await measureOwnerBound(store, batches, "hot");
    const replicaBound = await measureReplicaBound(store, sql, batches);
    await clearBound(sql);
    const driver = createBenchDriver(store);
    await driver.start();
    const runtime = await measureRuntime(store, driver, isQuick ? QUICK : FULL);
    const storage = url === null ? null : await measureStorage(sql, driver, await prepare(store, driver, DIAMOND));
    await driver.stop();
    // Last, beside the chains it is compared with, when everything is as warm as it was for them.
    const loneCommitMs = await measureLoneBound(store, isQuick ? 500 : 2_000);
    await clearBound(sql);
    const governed = await measureGoverned(store, url === null ? null : sql, isQuick ? QUICK : FULL);
    const wire = await measureWire(root, store, isQuick ? QUICK : FULL);
    const server = await measureProcess(root, database);
    return { name, ownerBound, replicaBound, loneCommitMs, runtime, governed, wire, storage, process: server };
  } finally {
    await database.close();
  }
}

function engineTable(figures: readonly EngineFigure[]): string {
  const lines = figures.map(({ shape, nodes, microsPerNode }): Line => {
    const base = figures.find((figure) => figure.shape === shape)?.microsPerNode ?? microsPerNode;
    return {
      what: `${shape}, ${nodes} nodes`,
      ratio: microsPerNode / base,
      value: microsPerNode,
      unit: "µs/node",
      against: "100 nodes",
    };
  });
  return table("engine alone", lines);
}

function toBar(what: string, value: number, unit: string, max: number): Line {
  return { what, ratio: value / max, value, unit, against: `at most ${max}` };
}

function databaseTable(figure: DatabaseFigure): string {
  const { name, ownerBound, replicaBound, loneCommitMs, runtime, governed, wire, storage, process: server } = figure;
  const bar = BARS[name];
  const { completionsPerSecond: rate, idleDiamondMs } = runtime;
  return table(name, [
    {
      what: "10-node diamonds, 200 at a time",
      ratio: rate / replicaBound,
      value: rate,
      unit: "nodes/s",
      against: "the replica-safe bound",
    },
    {
      what: "the same",
      ratio: rate / bar.perSecond,
      value: rate,
      unit: "nodes/s",
      against: `at least ${bar.perSecond}`,
    },
    {
      what: "bound: claims, heads and one statement, 300 a batch",
      ratio: replicaBound / ownerBound,
      value: replicaBound,
      unit: "nodes/s",
      against: "the owner's bound",
    },
    {
      what: "bound: an owner's one statement, 300 a batch",
      ratio: null,
      value: ownerBound,
      unit: "nodes/s",
      against: "",
    },
    toBar("a diamond alone", idleDiamondMs, "ms", bar.idleMs),
    ...governedLines(governed, rate, bar.governedPerSecond),
    ...wireLines(wire, rate, bar.wirePerSecond),
    { what: "bound: one run, commit after commit", ratio: null, value: loneCommitMs, unit: "ms", against: "" },
    ...runtime.shapes.flatMap((shape) => shapeLines(shape, runtime.shapes, bar, loneCommitMs)),
    ...(storage === null
      ? []
      : [
          toBar("commits of a diamond alone", storage.commitsPerRun, "commits", COMMITS_MAX),
          toBar("log of a diamond alone", storage.walKilobytesPerRun, "kB", WAL_KILOBYTES_MAX),
        ]),
    toBar("start", server.startMs, "ms", bar.startMs),
    toBar("first start", server.firstStartMs, "ms", bar.startMs),
    ...(server.idleMegabytes === null ? [] : [toBar("idle server", server.idleMegabytes, "MB", bar.megabytes)]),
  ]);
}

function governedLines(
  { completionsPerSecond: value, storage }: GovernedFigure,
  ungoverned: number,
  min: number | null,
): readonly Line[] {
  const line = { what: "diamonds with all gates, ledger and audit, 200 at a time", value, unit: "nodes/s" };
  return [
    ...(min === null ? [] : [{ ...line, ratio: value / min, against: `at least ${min}` }]),
    { ...line, ratio: value / ungoverned, against: "the same without" },
    ...(storage === null
      ? []
      : [
          toBar("commits of a governed diamond alone", storage.commitsPerRun, "commits", COMMITS_MAX),
          toBar("log of a governed diamond alone", storage.walKilobytesPerRun, "kB", WAL_KILOBYTES_MAX),
        ]),
  ];
}

function wireLines(
  { completionsPerSecond: value, idleDiamondMs }: WireFigure,
  inProcess: number,
  min: number | null,
): readonly Line[] {
  const line = { what: "diamonds through a Bridge over HTTP, 200 at a time", value, unit: "nodes/s" };
  return [
    ...(min === null ? [] : [{ ...line, ratio: value / min, against: `at least ${min}` }]),
    { ...line, ratio: value / inProcess, against: "the same in process" },
    { what: "one of them alone", ratio: null, value: idleDiamondMs, unit: "ms", against: "" },
  ];
}

function shapeLines(
  { shape, nodes, msPerNode }: ShapeFigure,
  all: readonly ShapeFigure[],
  bar: { readonly chainMs: number; readonly fanOutMs: number },
  loneCommitMs: number,
): readonly Line[] {
  const max = shape === "chain" ? bar.chainMs : bar.fanOutMs;
  const base = all.find((figure) => figure.shape === shape) ?? null;
  const line = { what: `${shape} of ${nodes}`, value: msPerNode, unit: "ms/node" };
  const growth =
    base === null || base.nodes === nodes
      ? []
      : [{ ...line, ratio: msPerNode / base.msPerNode, against: `${base.nodes} nodes` }];
  const bound = { ...line, ratio: msPerNode / loneCommitMs, against: "one commit after the other" };
  return [
    { ...line, ratio: msPerNode / max, against: `at most ${max}` },
    ...(shape === "chain" ? [bound] : []),
    ...growth,
  ];
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

/** `root`: the checkout, whose program is started and whose results are kept. */
export async function measure(root: string, flags: readonly string[]): Promise<void> {
  const isQuick = flags.includes("--quick");
  const engine = measureEngine();
  print(engineTable(engine));
  const databases: DatabaseFigure[] = [];
  for (const open of [openBenchPostgres, openBenchEmbedded]) {
    const figure = await measureDatabase(open, root, isQuick);
    databases.push(figure);
    print(databaseTable(figure));
  }
  const machine = {
    cpu: cpus()[0]?.model ?? "",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  const date = new Date().toISOString();
  const result = { date, machine, isQuick, engine, databases };
  if (flags.includes("--save")) {
    const directory = join(root, "bench", "results");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${date.replaceAll(/[:.]/g, "-")}.json`), `${JSON.stringify(result, null, 2)}\n`);
  }
  if (flags.includes("--json")) process.stdout.write(`${JSON.stringify(result)}\n`);
}
