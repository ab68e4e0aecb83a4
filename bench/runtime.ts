/** The runtime on a real store: throughput, chains, fan-outs, storage cost. */
import { createSystemClock, createScriptedAdapter, readScript } from "../src/bridge/index.ts";
import { digestText } from "../src/core/base/index.ts";
import { checkArgs } from "../src/core/definition/index.ts";
import { createAllowAllJudge, DurableDriver } from "../src/driver/index.ts";
import { type Store, StoreUnavailable } from "../src/store/index.ts";
import { planOf, SHAPES } from "./shapes.ts";

const ORG = "bench";

export function createBenchDriver(store: Store): DurableDriver {
  const clock = createSystemClock();
  const { script } = readScript("default: echo\n");
  if (script === null) throw new Error("the script is wrong");
  return new DurableDriver({
    store,
    clock,
    adapters: [createScriptedAdapter({ script, clock })],
    judge: createAllowAllJudge(new Set(["scripted"]), "scripted"),
    monotonic: () => performance.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: true,
    onTrouble: (what, error) => process.stderr.write(`${what}: ${String(error)}\n`),
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
  run(): Promise<void>;
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
  return {
    async run() {
      const outcome = await driver.launch(about);
      if (outcome.kind !== "started") throw new Error(`the launch was ${outcome.kind}`);
      const { runId } = outcome.run;
      if (early.delete(runId)) return;
      await new Promise<void>((resolve) => waiters.set(runId, resolve));
    },
  };
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

export async function measureShape(store: Store, driver: DurableDriver, name: string, nodes: number): Promise<number> {
  const shape = SHAPES.find((candidate) => candidate.name === name);
  if (shape === undefined) throw new Error(`there is no shape ${name}`);
  const runner = await prepare(store, driver, shape.source(nodes));
  const before = performance.now();
  await runner.run();
  return (performance.now() - before) / nodes;
}
