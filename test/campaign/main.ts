/**
 * `npm run campaign -- --kills N --store SCENARIO|both|all --seed S --minutes M`:
 * the faults of the test suite, many times over, each batch under a seed of its own. Ends with how sure one may be.
 * `npm run campaign -- --cluster --kills N --switchovers N --cuts N`: failovers of three Postgres servers with Patroni.
 * `npm run campaign -- --cells --runs N --kills N`: moves of an organisation with N runs between two cells.
 */
import { parseArgs } from "node:util";
import { campaignOnCells } from "../cells/campaign.ts";
import { campaignOnCluster } from "../cluster/campaign.ts";
import { surviveBridgeKills } from "../integration/support/bridge-kills.ts";
import { surviveBadNetwork } from "../integration/support/bridge-network.ts";
import { surviveDatabaseStops } from "../integration/support/database-stops.ts";
import { surviveFullDisks } from "../integration/support/disk-full.ts";
import { surviveKills } from "../integration/support/kills.ts";
import type { Verdict } from "../integration/support/load.ts";
import { startPostgres } from "../integration/support/postgres-instance.ts";
import { surviveReplicaKills } from "../integration/support/replicas.ts";
import { surviveStorms } from "../integration/support/sql-storms.ts";
import { prepareProgram } from "../integration/support/server-process.ts";
import { surviveWorkerKills } from "../integration/support/worker-kills.ts";
import { STORY_EVENTS, surviveStory } from "../integration/support/turn-story.ts";
import { surviveTurnKills } from "../integration/support/turn-kills.ts";

type Scenario =
  | "embedded"
  | "postgres"
  | "replicas"
  | "restarts"
  | "bridge"
  | "network"
  | "turns"
  | "story"
  | "workers"
  | "contended"
  | "skew"
  | "storms"
  | "full-disk"
  | "full-disk-postgres";

const STORES: Readonly<Record<string, readonly Scenario[]>> = {
  embedded: ["embedded"],
  postgres: ["postgres"],
  replicas: ["replicas"],
  restarts: ["restarts"],
  bridge: ["bridge"],
  network: ["network"],
  turns: ["turns"],
  story: ["story"],
  workers: ["workers"],
  contended: ["contended"],
  skew: ["skew"],
  storms: ["storms"],
  "full-disk": ["full-disk", "full-disk-postgres"],
  both: ["embedded", "postgres"],
  all: [
    "embedded",
    "postgres",
    "replicas",
    "restarts",
    "bridge",
    "network",
    "turns",
    "story",
    "workers",
    "contended",
    "skew",
    "storms",
    "full-disk",
    "full-disk-postgres",
  ],
};

/** Faults per batch: enough to hit a server that is still recovering, few enough to judge often. */
const BATCH = 20;
/** A request that is cut or repeated is a fault of its own, and there are many of them. */
const REQUESTS_PER_BATCH = 300;
const RUNS_PER_FAULT = 2;
const FUNCTIONS_PER_KILL = 200;
/** More than the slots they wait for can take in the life of a server. */
const RUNS_CONTENDED = 5;
const SLOTS_CONTENDED = 4;

interface Tally {
  faults: number;
  runs: number;
  blocks: number;
  sent: number;
  completed: number;
  events: number;
  calls: number;
  repeatedCalls: number;
  readonly violations: string[];
}

const NOTHING = { runs: 0, blocks: 0, sent: 0, completed: 0, events: 0, calls: 0, repeatedCalls: 0 };
const FIGURES = Object.keys(NOTHING) as (keyof typeof NOTHING)[];

interface Plan {
  /** Null: not on a cluster. */
  readonly cluster: { readonly switchovers: number; readonly cuts: number } | null;
  /** Null: not between cells. */
  readonly cells: { readonly runs: number } | null;
  readonly faults: number;
  readonly seed: number;
  readonly scenarios: readonly Scenario[];
  readonly until: number;
}

function readPlan(args: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: "string" },
      cluster: { type: "boolean", default: false },
      cells: { type: "boolean", default: false },
      runs: { type: "string", default: "1000" },
      switchovers: { type: "string", default: "2" },
      cuts: { type: "string", default: "1" },
      store: { type: "string", default: "both" },
      seed: { type: "string", default: "1" },
      minutes: { type: "string", default: "60" },
    },
  });
  const scenarios = Object.hasOwn(STORES, values.store) ? STORES[values.store] : undefined;
  if (scenarios === undefined)
    throw new Error(`--store is one of ${Object.keys(STORES).join(", ")}, not ${values.store}`);
  const cluster = { switchovers: toNumber("switchovers", values.switchovers), cuts: toNumber("cuts", values.cuts) };
  return {
    cluster: values.cluster ? cluster : null,
    cells: values.cells ? { runs: toNumber("runs", values.runs) } : null,
    faults: toNumber("kills", values.kills ?? (values.cluster ? "3" : values.cells ? "5" : "200")),
    seed: toNumber("seed", values.seed),
    scenarios,
    until: Date.now() + toNumber("minutes", values.minutes) * 60_000,
  };
}

function toNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`--${name} takes a whole number from 1 on, not ${text}`);
  return value;
}

/** One batch of faults on what they are about. Every batch has a database of its own. */
async function play(scenario: Scenario, seed: number, count: number): Promise<Verdict> {
  if (scenario === "full-disk" || scenario === "full-disk-postgres") {
    const on = scenario === "full-disk" ? "embedded" : "postgres";
    return surviveFullDisks({ seed, times: count, on, runsPerTime: RUNS_PER_FAULT });
  }
  if (isEmbedded(scenario, seed)) return playOn(scenario, { seed, count, databaseUrl: null });
  const postgres = await startPostgres();
  try {
    const databaseUrl = postgres.url;
    if (scenario === "replicas") {
      return await surviveReplicaKills({ seed, databaseUrl, replicas: 2, kills: count, runsPerLife: RUNS_PER_FAULT });
    }
    if (scenario === "contended") {
      const load = { runsPerLife: RUNS_CONTENDED, slots: SLOTS_CONTENDED };
      return await surviveReplicaKills({ seed, databaseUrl, replicas: 2, kills: count, ...load });
    }
    if (scenario === "skew") {
      const load = { runsPerLife: RUNS_PER_FAULT, areClocksWrong: true };
      return await surviveReplicaKills({ seed, databaseUrl, replicas: 2, kills: count, ...load });
    }
    if (scenario === "storms") {
      return await surviveStorms({ seed, databaseUrl, storms: count, runsPerStorm: RUNS_PER_FAULT });
    }
    if (scenario !== "restarts") return await playOn(scenario, { seed, count, databaseUrl });
    const stops = await surviveDatabaseStops({ seed, stops: count, postgres, runsPerStop: RUNS_PER_FAULT });
    const crash = stops.hasCrashed ? ["the server ended while the database was away"] : [];
    const end = stops.endedWith === 0 ? [] : [`SIGTERM while the database was away: exit code ${stops.endedWith}`];
    return { ...stops, violations: [...crash, ...end, ...stops.violations] };
  } finally {
    await postgres.dispose();
  }
}

/** Scenarios that are the same on either database: a seed says which, so that the same seed is always on the same one. */
function isEmbedded(scenario: Scenario, seed: number): boolean {
  return scenario === "embedded" || (ON_EITHER.has(scenario) && seed % 2 === 0);
}

const ON_EITHER: ReadonlySet<Scenario> = new Set(["bridge", "network", "turns", "story", "workers"]);

interface Batch {
  readonly seed: number;
  readonly count: number;
  readonly databaseUrl: string | null;
}

function playOn(scenario: Scenario, { seed, count, databaseUrl }: Batch): Promise<Verdict> {
  if (scenario === "network") return surviveBadNetwork({ seed, faults: count, databaseUrl });
  if (scenario === "story") return playStory({ seed, count, databaseUrl });
  if (scenario === "workers") return playWorkers({ seed, count, databaseUrl });
  const survive = scenario === "bridge" ? surviveBridgeKills : scenario === "turns" ? surviveTurnKills : surviveKills;
  return survive({ seed, kills: count, databaseUrl, runsPerLife: RUNS_PER_FAULT });
}

/** Each point kills twice: the Bridge and the server. Batches go through the points of the story, one after the other. */
function playStory({ seed, count, databaseUrl }: Batch): Promise<Verdict> {
  const each = Math.max(1, Math.ceil(count / 2));
  const points = Array.from({ length: each }, (_, index) => 1 + ((seed * each + index) % STORY_EVENTS));
  return surviveStory({ seed, databaseUrl, points });
}

/** Each function counts as a run: it is judged by itself. */
async function playWorkers({ seed, count, databaseUrl }: Batch): Promise<Verdict> {
  const functions = count * FUNCTIONS_PER_KILL;
  const verdict = await surviveWorkerKills({ seed, kills: count, functions, databaseUrl, note: print });
  const { violations, completed, acts, repeated } = verdict;
  return { ...NOTHING, runs: functions, completed, calls: acts, repeatedCalls: repeated, violations };
}

async function campaign(scenario: Scenario, { faults, seed, until }: Plan): Promise<Tally> {
  const tally: Tally = { ...NOTHING, faults: 0, violations: [] };
  for (let batch = 0; tally.faults < faults && Date.now() < until; batch += 1) {
    const count = Math.min(scenario === "network" ? REQUESTS_PER_BATCH : BATCH, faults - tally.faults);
    const verdict = await play(scenario, seed + batch, count).catch((error: unknown) => failed(error));
    tally.faults += count;
    for (const figure of FIGURES) tally[figure] += verdict[figure];
    tally.violations.push(...verdict.violations);
    const state = verdict.violations.length === 0 ? "ok    " : "broken";
    print(
      `${state}  ${scenario.padEnd(9)} seed ${seed + batch}  ${tally.faults} of ${faults} faults, ${tally.runs} runs`,
    );
    for (const violation of verdict.violations) print(`        ${violation}`);
    if (verdict.violations.length > 0) {
      print(`        npm run campaign -- --store ${scenario} --kills ${count} --seed ${seed + batch}`);
    }
  }
  return tally;
}

/** A batch that could not be judged is no evidence, and counts as broken. */
function failed(error: unknown): Verdict {
  const violations = [error instanceof Error ? error.message : String(error)];
  return { ...NOTHING, violations };
}

function summary(scenario: Scenario, tally: Tally): string {
  const { faults, runs, blocks, sent, completed, events, calls, repeatedCalls, violations } = tally;
  const counts =
    `${runs} runs (${completed} completed) with ${blocks} blocks, ${sent} events sent to them, ${events} in their logs, ` +
    `${calls} calls (${repeatedCalls} repeated)`;
  if (violations.length > 0) return `${scenario}: ${faults} faults, ${counts}: ${violations.length} violations`;
  // Rule of three: no failure in N trials bounds the rate by 3/N with 95 % confidence.
  const bound = ((3 / Math.max(1, faults)) * 100).toFixed(3);
  return `${scenario}: ${faults} faults, ${counts}: no violation, so at most ${bound} % per fault (3/N, 95 %)`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(args: readonly string[]): Promise<number> {
  const plan = readPlan(args);
  prepareProgram();
  if (plan.cluster !== null) {
    const { cluster, faults: kills, seed, until } = plan;
    return campaignOnCluster({ ...cluster, kills, seed, until, print });
  }
  if (plan.cells !== null) {
    const { cells, faults: kills, seed, until } = plan;
    return campaignOnCells({ ...cells, kills, seed, until, note: print });
  }
  const tallies: { readonly scenario: Scenario; readonly tally: Tally }[] = [];
  for (const scenario of plan.scenarios) tallies.push({ scenario, tally: await campaign(scenario, plan) });
  print("");
  for (const { scenario, tally } of tallies) print(summary(scenario, tally));
  return tallies.every(({ tally }) => tally.violations.length === 0 && tally.faults > 0) ? 0 : 1;
}

const exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`campaign: ${error instanceof Error ? error.message : String(error)}\n`);
  return 2;
});
// A connection that a killed server has left half open keeps nothing waiting.
process.exit(exitCode);
