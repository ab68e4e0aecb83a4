/**
 * `npm run bench -- --turns`: what a judged tool call costs, in this process and over HTTP, how a turn grows with its
 * rounds, and how soon a long one continues. Every figure stands beside its bar.
 */
import { createScriptedAdapter, readScript } from "../src/adapters/index.ts";
import { createSystemClock } from "../src/clock/index.ts";
import type { Json } from "../src/core/base/index.ts";
import type { DurableDriver } from "../src/driver/index.ts";
import { readSpec } from "../src/registry/index.ts";
import type { Store } from "../src/store/index.ts";
import { openBenchPostgres } from "./database.ts";
import { openGoverned } from "./governed.ts";
import { ORG, prepare } from "./runtime.ts";
import { openWired } from "./wire.ts";

export interface TurnsPlan {
  /** Turns of five calls for each figure. */
  readonly turns: number;
}

type Print = (line: string) => void;

const TOGETHER = 200;
const CALLS = 5;
const LENGTHS = [25, 50, 100, 200] as const;
const RESUMED_ROUNDS = 50;
const RESUMES = 20;

const SOURCES = {
  spread: turn("spread", CALLS + 1),
  bundled: turn("bundled", 2),
  ...Object.fromEntries(LENGTHS.map((rounds) => [`long${rounds}`, turn(`long${rounds}`, rounds + 1)])),
  held: turn("held", RESUMED_ROUNDS + 2),
};

/** The answers of all turns: `spread` calls a tool in each of five rounds, `bundled` five tools in one. */
const SCRIPT = JSON.stringify({
  nodes: {
    spread: { rounds: rounds(CALLS, 1) },
    bundled: { rounds: rounds(1, CALLS) },
    ...Object.fromEntries(LENGTHS.map((count) => [`long${count}`, { rounds: rounds(count, 1) }])),
    held: { rounds: [...rounds(RESUMED_ROUNDS, 1).slice(0, -1), asking("refund"), { text: "Done." }] },
  },
});

function turn(id: string, roundsMax: number): string {
  const tools = [
    { name: "look", action: "read" },
    { name: "refund", action: "write" },
  ];
  const limits = { max_rounds: roundsMax, max_tool_calls: 1_000, max_repeats: 1_000 };
  return JSON.stringify({ name: id, steps: [{ id, command: "go", tools, turn: limits }] });
}

function rounds(count: number, calls: number): Json[] {
  const round = (index: number): Json => ({
    text: `Round ${index}.`,
    calls: Array.from({ length: calls }, (_, position) => ({
      tool: "look",
      args: { round: index, position },
      result: { found: true },
    })),
  });
  return [...Array.from({ length: count }, (_, index) => round(index)), { text: "Done." }];
}

function asking(tool: string): Json {
  return { text: "This needs a person.", calls: [{ tool, args: { amount: 900 }, result: { done: true } }] };
}

/** The one tool a person is asked about. */
async function holdRefunds(store: Store): Promise<void> {
  const reading = readSpec("Tool", "refund", { name: "refund", action: "write", approval: "required" });
  if (!reading.ok) throw new Error(`the benchmark's tool is wrong: ${JSON.stringify(reading.problems)}`);
  await store.ensureOrganisation(ORG);
  await store.putEntry(ORG, "tool", "refund", reading.body, 0);
}

export async function measureTurns(root: string, plan: TurnsPlan, print: Print): Promise<void> {
  const database = await openBenchPostgres();
  const { store } = database;
  try {
    await holdRefunds(store);
    const { script } = readScript(SCRIPT);
    if (script === null) throw new Error("the script is wrong");
    const here = await openGoverned(store, createScriptedAdapter({ script, clock: createSystemClock() }));
    try {
      await measureCalls(store, here.driver, plan.turns, "in process", { must: 1_500, goal: 3_000 }, print);
      await measureGrowth(store, here.driver, print);
      await measureResume(store, here.driver, print);
    } finally {
      await here.close();
    }
    const wired = await openWired(root, store, SCRIPT);
    try {
      await measureCalls(store, wired.driver, plan.turns, "over HTTP", { must: 600, goal: 1_500 }, print);
    } finally {
      await wired.close();
    }
  } finally {
    await database.close();
  }
}

interface Bar {
  readonly must: number;
  readonly goal: number;
}

async function measureCalls(
  store: Store,
  driver: DurableDriver,
  turns: number,
  where: string,
  { must, goal }: Bar,
  print: Print,
): Promise<void> {
  for (const kind of ["spread", "bundled"] as const) {
    const runner = await prepare(store, driver, SOURCES[kind]);
    await manyAtOnce(TOGETHER, () => runner.run());
    const before = performance.now();
    const usedBefore = process.cpuUsage();
    await manyAtOnce(turns, () => runner.run());
    const perSecond = (turns * CALLS * 1_000) / (performance.now() - before);
    const { user, system } = process.cpuUsage(usedBefore);
    const each = Math.round((user + system) / (turns * CALLS));
    const what = kind === "spread" ? "a call in each of 5 rounds" : "5 calls in one round";
    print(
      `${where}, ${what}: ${Math.round(perSecond)} judged calls/s (must ${must}, goal ${goal}), ` +
        `${each} µs of processor time in this process for each`,
    );
  }
}

async function manyAtOnce(total: number, one: () => Promise<void>): Promise<void> {
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < total) {
      begun += 1;
      await one();
    }
  };
  await Promise.all(Array.from({ length: Math.min(TOGETHER, total) }, lane));
}

const GROWTH_RUNS = 10;

/** One at a time, so that nothing but the length of the turn differs. */
async function measureGrowth(store: Store, driver: DurableDriver, print: Print): Promise<void> {
  const figures: string[] = [];
  for (const length of LENGTHS) {
    const runner = await prepare(store, driver, turn(`long${length}`, length + 1));
    await runner.run();
    const before = performance.now();
    for (let count = 0; count < GROWTH_RUNS; count += 1) await runner.run();
    figures.push(`${length}: ${((performance.now() - before) / GROWTH_RUNS / (length + 1)).toFixed(2)}`);
  }
  print(`milliseconds per round of a turn with so many rounds: ${figures.join(", ")} (flat)`);
}

/** From the answer of the person to the end of the run, of which one more round is part. */
async function measureResume(store: Store, driver: DurableDriver, print: Print): Promise<void> {
  const runner = await prepare(store, driver, SOURCES.held);
  const took: number[] = [];
  for (let count = 0; count < RESUMES; count += 1) {
    const asked = new Promise<string>((resolve) => {
      const stop = driver.onCommitted((_runId, events) => {
        for (const event of events) {
          if (event.type !== "approval.requested") continue;
          stop();
          resolve(event.payload.approvalId);
        }
      });
    });
    const { runId, ended } = await runner.begin();
    const approvalId = await asked;
    const before = performance.now();
    await driver.submit(ORG, runId, { type: "approval", approvalId, decision: "approve", by: "bench" });
    await ended;
    took.push(performance.now() - before);
  }
  const sorted = took.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const worst = sorted.at(-1) ?? 0;
  print(
    `a turn of ${RESUMED_ROUNDS} rounds continues after its answer, with one more round, in ${median.toFixed(1)} ms, at worst ${worst.toFixed(1)} (must 100)`,
  );
}
