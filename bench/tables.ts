/** The tables: every figure beside its bar, or beside what it is a ratio of. */
import type { BenchDatabase } from "./database.ts";
import type { EngineFigure } from "./engine.ts";
import type { GatesFigure } from "./gates.ts";
import type { GovernedFigure } from "./governed.ts";
import type { ProcessFigure } from "./process.ts";
import { atMost, type Line, table } from "./report.ts";
import type { RuntimeFigure, ShapeFigure } from "./runtime.ts";
import type { StorageFigure } from "./storage.ts";
import type { StreamFigure } from "./stream.ts";
import type { WireFigure } from "./wire.ts";

/** The figures a machine of two cores shared with its database should reach. */
const BARS = {
  postgres: {
    perSecond: 3_000,
    wirePerSecond: 3_500,
    governedPerSecond: 8_000,
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
const WAL_KILOBYTES_MAX = 25;
const VERDICT_MICROS_MAX = 20;
const GOVERNED_OF_BOUND = 0.4;

export interface DatabaseFigure {
  readonly name: BenchDatabase["name"];
  readonly ownerBound: number;
  readonly replicaBound: number;
  readonly loneCommitMs: number;
  readonly runtime: RuntimeFigure;
  readonly governed: GovernedFigure;
  readonly wire: WireFigure;
  readonly storage: StorageFigure | null;
  readonly process: ProcessFigure;
  /** What is measured on one database only: it would be no different on the other. */
  readonly gates: readonly GatesFigure[];
  readonly stream: StreamFigure | null;
}

export function engineTable(figures: readonly EngineFigure[]): string {
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

export function databaseTable(figure: DatabaseFigure): string {
  const { name, ownerBound, replicaBound, loneCommitMs, runtime, wire, storage, process: server } = figure;
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
    atMost("a diamond alone", idleDiamondMs, "ms", bar.idleMs),
    ...governedLines(figure, bar),
    ...wireLines(wire, rate, bar.wirePerSecond),
    { what: "bound: one run, commit after commit", ratio: null, value: loneCommitMs, unit: "ms", against: "" },
    ...runtime.shapes.flatMap((shape) => shapeLines(shape, runtime.shapes, bar, loneCommitMs)),
    ...(storage === null
      ? []
      : [
          atMost("commits of a diamond alone", storage.commitsPerRun, "commits", COMMITS_MAX),
          atMost("log of a diamond alone", storage.walKilobytesPerRun, "kB", WAL_KILOBYTES_MAX),
        ]),
    atMost("start", server.startMs, "ms", bar.startMs),
    atMost("first start", server.firstStartMs, "ms", bar.startMs),
    ...(server.idleMegabytes === null ? [] : [atMost("idle server", server.idleMegabytes, "MB", bar.megabytes)]),
    ...gatesLines(figure.gates),
    ...(figure.stream === null ? [] : streamLines(figure.stream)),
  ]);
}

function governedLines(
  { governed, replicaBound, runtime, loneCommitMs }: DatabaseFigure,
  bar: (typeof BARS)[BenchDatabase["name"]],
): readonly Line[] {
  const { completionsPerSecond: value, idleDiamondMs, shapes, storage } = governed;
  const line = { what: "diamonds with all gates, ledger and audit, 200 at a time", value, unit: "nodes/s" };
  const min = bar.governedPerSecond;
  return [
    ...(min === null ? [] : [{ ...line, ratio: value / min, against: `at least ${min}` }]),
    { ...line, ratio: value / replicaBound, against: `the replica-safe bound, at least ${GOVERNED_OF_BOUND}` },
    { ...line, ratio: value / runtime.completionsPerSecond, against: "the same without" },
    atMost("one of them alone", idleDiamondMs, "ms", bar.idleMs),
    ...shapes.flatMap((shape) => shapeLines({ ...shape, prefix: "governed " }, shapes, bar, loneCommitMs)),
    ...(storage === null
      ? []
      : [
          atMost("commits of a governed diamond alone", storage.commitsPerRun, "commits", COMMITS_MAX),
          atMost("log of a governed diamond alone", storage.walKilobytesPerRun, "kB", WAL_KILOBYTES_MAX),
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

/** What is smaller pays for beginning and ending. */
const GROWTH_BASE = 100;

function shapeLines(
  { shape, nodes, msPerNode, prefix = "" }: ShapeFigure & { readonly prefix?: string },
  all: readonly ShapeFigure[],
  bar: { readonly chainMs: number; readonly fanOutMs: number },
  loneCommitMs: number,
): readonly Line[] {
  const max = shape === "chain" ? bar.chainMs : bar.fanOutMs;
  const base = all.find((figure) => figure.shape === shape && figure.nodes === GROWTH_BASE) ?? null;
  const line = { what: `${prefix}${shape} of ${nodes}`, value: msPerNode, unit: "ms/node" };
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

function gatesLines(figures: readonly GatesFigure[]): readonly Line[] {
  return figures.map(({ policies, microsPerVerdict }) =>
    atMost(`gates alone, ${policies} policies`, microsPerVerdict, "µs/verdict", VERDICT_MICROS_MAX),
  );
}

function streamLines({ clients, eventsPerSecond, lastClientMs }: StreamFigure): readonly Line[] {
  const who = `${clients} clients of one run's stream`;
  return [
    { what: `events that reach all ${who}`, ratio: null, value: eventsPerSecond, unit: "events/s", against: "" },
    { what: `the same, all together`, ratio: null, value: eventsPerSecond * clients, unit: "events/s", against: "" },
    { what: `from commit to the last of ${who}`, ratio: null, value: lastClientMs, unit: "ms", against: "" },
  ];
}
