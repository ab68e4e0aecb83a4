/** The runtime on a real store: throughput, chains, fan-outs, storage cost. */
import { createScriptedAdapter, readScript } from "../src/adapters/index.ts";
import type { Adapter } from "../src/adapter/index.ts";
import { type Clock, createSystemClock } from "../src/clock/index.ts";
import { digestText } from "../src/core/base/index.ts";
import { checkArgs } from "../src/core/definition/index.ts";
import { DurableDriver } from "../src/driver/index.ts";
import { createAllowAllJudge, type Judge } from "../src/governance/index.ts";
import { type Store, StoreUnavailable } from "../src/store/index.ts";
import { planOf, shapeOf } from "./shapes.ts";

export const ORG = "bench";

export function onTrouble(what: string, error: unknown): void {
  process.stderr.write(`${what}: ${String(error)}\n`);
}

/** An adapter that answers every node at once with the text of its request. */
export function createEcho(clock: Clock): Adapter {
  const { script } = readScript("default: echo\n");
  if (script === null) throw new Error("the script is wrong");
  return createScriptedAdapter({ script, clock });
}

/** The driver of one process. Null: nothing is asked and nothing counted, to see what governance costs. */
export function createBenchDriver(
  store: Store,
  judge: Judge | null = null,
  adapter: Adapter | null = null,
): DurableDriver {
  const clock = createSystemClock();
  return new DurableDriver({
    store,
    clock,
    adapters: [adapter ?? createEcho(clock)],
    judge: judge ?? createAllowAllJudge(new Set(["scripted"]), "scripted"),
    monotonic: () => performance.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: true,
    onTrouble,
  });
}

/** Ten nodes: one root, eight in two waves of four, one join. */
export const DIAMOND = JSON.stringify({
  name: "diamond",
  steps: [
    { id: "a", command: "go" },
    ...["b", "c", "d", "e"].map((id) => ({ id, command: "go", depends_on: ["a"] })),
    ...["f", "g", "h", "i"].map((id, index) => ({
      id,
      command: "go",
      depends_on: ["b", "c", "d", "e"].slice(index, index + 1),
    })),
    { id: "j", command: "go", depends_on: ["f", "g", "h", "i"] },
  ],
});

export interface Runner {
  /** Resolves when the run has ended. */
  run(): Promise<void>;
  /** Resolves when the run has been created. */
  begin(): Promise<{ readonly runId: string; readonly ended: Promise<void> }>;
}

/** Starts runs of one source and waits for their ends by listening, not by polling. */
export async function prepare(store: Store, driver: DurableDriver, source: string): Promise<Runner> {
  const definitionHash = digestText(source);
  await store.ensureOrganisation(ORG);
  await store.putDefinition(ORG, definitionHash, { source, catalog: null });
  const args = checkArgs(planOf(source).args, {});
  if (!args.ok) throw new Error("the benchmark's args are wrong");
  const waiters = new Map<string, () => void>();
  const early = new Set<string>();
  driver.onCommitted((runId, events) => {
    const last = events.at(-1)?.type;
    if (last !== "run.completed" && last !== "run.failed") return;
    const waiter = waiters.get(runId);
    if (waiter === undefined) early.add(runId);
    else {
      waiters.delete(runId);
      waiter();
    }
  });
  const about = {
    orgId: ORG,
    workflow: "bench",
    version: 1,
    definitionHash,
    args: args.value,
    trigger: "bench",
    startedBy: null,
  };
  const begin = async (): Promise<{ runId: string; ended: Promise<void> }> => {
    const outcome = await driver.launch(about);
    if (outcome.kind !== "started") throw new Error(`the launch was ${outcome.kind}`);
    const { runId } = outcome.run;
    const isOver = early.delete(runId);
    return { runId, ended: isOver ? Promise.resolve() : new Promise((resolve) => waiters.set(runId, resolve)) };
  };
  return { begin, run: async () => (await begin()).ended };
}

/** Keeps so many runs going until so many have ended; returns node completions per second. */
export async function measureThroughput(
  runner: Runner,
  nodes: number,
  concurrent: number,
  total: number,
): Promise<number> {
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < total) {
      begun += 1;
      await runner.run();
    }
  };
  const before = performance.now();
  await Promise.all(Array.from({ length: concurrent }, lane));
  return (total * nodes * 1_000) / (performance.now() - before);
}

export interface ShapeFigure {
  readonly shape: string;
  readonly nodes: number;
  readonly msPerNode: number;
}

/** One run of a shape alone, per node. */
async function measureShape(store: Store, driver: DurableDriver, name: string, nodes: number): Promise<ShapeFigure> {
  const runner = await prepare(store, driver, shapeOf(name).source(nodes));
  // Small shapes run several times, so that every figure rests on about as much work.
  const rounds = Math.max(1, Math.min(5, Math.round(1_000 / nodes)));
  const before = performance.now();
  for (let round = 0; round < rounds; round += 1) await runner.run();
  return { shape: name, nodes, msPerNode: (performance.now() - before) / nodes / rounds };
}

export interface RuntimePlan {
  readonly diamonds: number;
  readonly rounds: number;
  readonly idleRuns: number;
  readonly chains: readonly number[];
  readonly fanOuts: readonly number[];
  /** Nodes of the chains and fan-outs that are run with all gates. */
  readonly growth: readonly number[];
}

export interface RuntimeFigure {
  /** Medians. */
  readonly completionsPerSecond: number;
  readonly idleDiamondMs: number;
  readonly shapes: readonly ShapeFigure[];
}

export const DIAMOND_NODES = 10;
const CONCURRENT = 200;
const WARM_UP_NODES = 1_000;

/** Many at a time, and one alone; medians. */
export async function measureDiamonds(
  store: Store,
  driver: DurableDriver,
  plan: Pick<RuntimePlan, "diamonds" | "rounds" | "idleRuns">,
): Promise<Pick<RuntimeFigure, "completionsPerSecond" | "idleDiamondMs">> {
  const diamond = await prepare(store, driver, DIAMOND);
  await measureThroughput(diamond, DIAMOND_NODES, CONCURRENT, CONCURRENT);
  const rates: number[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    rates.push(await measureThroughput(diamond, DIAMOND_NODES, CONCURRENT, plan.diamonds));
  }
  const lone: number[] = [];
  for (let run = 0; run < plan.idleRuns; run += 1) {
    const before = performance.now();
    await diamond.run();
    lone.push(performance.now() - before);
  }
  return { completionsPerSecond: median(rates), idleDiamondMs: median(lone) };
}

/** Chains and fan-outs, each alone. */
export async function measureShapes(
  store: Store,
  driver: DurableDriver,
  { chains, fanOuts }: Pick<RuntimePlan, "chains" | "fanOuts">,
): Promise<readonly ShapeFigure[]> {
  const shapes: ShapeFigure[] = [];
  // A server that has just started compiles its hot paths; what is meant here is one that has been running.
  await measureShape(store, driver, "chain", WARM_UP_NODES);
  for (const nodes of chains) shapes.push(await measureShape(store, driver, "chain", nodes));
  for (const nodes of fanOuts) shapes.push(await measureShape(store, driver, "fan-out", nodes));
  return shapes;
}

export async function measureRuntime(store: Store, driver: DurableDriver, plan: RuntimePlan): Promise<RuntimeFigure> {
  const diamonds = await measureDiamonds(store, driver, plan);
  return { ...diamonds, shapes: await measureShapes(store, driver, plan) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
