/**
 * `npm run bench -- --nodes [RUNS]`: what a governed node costs, in process and through a Bridge over HTTP: nodes per second,
 * and processor time of the server, the Bridge and Postgres. The processor time says on a busy machine what a free one can do.
 */
import { type BenchDatabase, openBenchPostgres } from "./database.ts";
import { openGoverned } from "./governed.ts";
import { processorSecondsBelow, processorSecondsOf, processorSecondsOfPostgres } from "./processor-time.ts";
import { atLeast, atMost, type Line, table } from "./report.ts";
import { DIAMOND, DIAMOND_NODES, measureThroughput, median, prepare, type Runner } from "./runtime.ts";
import { openWired } from "./wire.ts";

const CONCURRENT = 200;
const LONE_RUNS = 100;
const BARS = { perSecond: 8_000, wirePerSecond: 3_500, wireNodeMs: 0.2 };

interface Cost {
  readonly perSecond: number;
  /** Milliseconds of processor time per node. */
  readonly serverMs: number;
  readonly bridgeMs: number;
  readonly postgresMs: number;
  readonly loneMs: number;
}

interface Opened {
  readonly driver: Parameters<typeof prepare>[1];
  /** Null: nodes are done in this process. */
  readonly bridgePid: number | null;
  readonly close: () => Promise<void>;
}

async function costOf({ store, sql }: BenchDatabase, opened: Opened, runs: number): Promise<Cost> {
  const { driver, bridgePid, close } = opened;
  try {
    const runner = await prepare(store, driver, DIAMOND);
    await measureThroughput(runner, DIAMOND_NODES, CONCURRENT, Math.max(CONCURRENT, Math.ceil(runs / 2)));
    const read = async () => ({
      server: process.cpuUsage(),
      bridge: bridgePid === null ? 0 : processorSecondsOf(bridgePid) + (processorSecondsBelow(bridgePid) ?? 0),
      postgres: await processorSecondsOfPostgres(sql),
    });
    const before = await read();
    const perSecond = await measureThroughput(runner, DIAMOND_NODES, CONCURRENT, runs);
    const after = await read();
    const server = after.server.user + after.server.system - before.server.user - before.server.system;
    const perNode = (seconds: number): number => (seconds * 1_000) / (runs * DIAMOND_NODES);
    return {
      perSecond,
      serverMs: perNode(server / 1_000_000),
      bridgeMs: perNode(after.bridge - before.bridge),
      postgresMs: perNode(after.postgres - before.postgres),
      loneMs: await measureLone(runner),
    };
  } finally {
    await close();
  }
}

async function measureLone(runner: Runner): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < LONE_RUNS; run += 1) {
    const before = performance.now();
    await runner.run();
    times.push(performance.now() - before);
  }
  return median(times);
}

function plain(what: string, value: number, unit: string): Line {
  return { what, ratio: null, value, unit, against: "" };
}

function milliseconds(what: string, value: number): Line {
  return plain(`processor time of ${what}`, value * 1_000, "µs/node");
}

export async function measureNodes(root: string, runs: number, print: (line: string) => void): Promise<void> {
  const database = await openBenchPostgres();
  try {
    const own = await costOf(database, { ...(await openGoverned(database.store)), bridgePid: null }, runs);
    print(
      table("governed, in process", [
        atLeast("diamonds, 200 at a time", own.perSecond, "nodes/s", BARS.perSecond),
        milliseconds("the server", own.serverMs),
        milliseconds("Postgres", own.postgresMs),
        plain("a diamond alone", own.loneMs, "ms"),
      ]),
    );
    const wire = await costOf(database, await openWired(root, database.store), runs);
    print(
      table("governed, over HTTP", [
        atLeast("diamonds, 200 at a time", wire.perSecond, "nodes/s", BARS.wirePerSecond),
        atMost("processor time of the server", wire.serverMs, "ms/node", BARS.wireNodeMs),
        milliseconds("the Bridge", wire.bridgeMs),
        milliseconds("Postgres", wire.postgresMs),
        plain("a diamond alone", wire.loneMs, "ms"),
      ]),
    );
  } finally {
    await database.close();
  }
}
