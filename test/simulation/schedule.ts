import type { RunEvent, RunStatus } from "../../src/core/event/index.ts";
import { CHECKERS, type MakeChecker, notesMarkers, Suite, Violation } from "./checkers/index.ts";
import type { Engine } from "./engine.ts";
import { type Bundle, drawBundle } from "./plans/bundle.ts";
import { drawProfile, type Profile } from "./profile.ts";
import { hashText, Prng } from "./prng.ts";
import { Sometimes } from "./sometimes.ts";
import type { LedgerBugs } from "./world/agents.ts";
import type { SimRun } from "./world/run.ts";
import { World } from "./world/world.ts";

export interface ScheduleOptions {
  readonly engine?: Engine;
  readonly bugs?: LedgerBugs;
  readonly checkers?: readonly MakeChecker[];
  readonly probes?: readonly string[];
  /** Whether agents work in rounds and call tools; default: in some schedules. */
  readonly hasTurns?: boolean;
  readonly profile?: Profile;
  readonly orderSeed?: number;
  readonly sometimes?: Sometimes;
  readonly trace?: (line: () => string) => void;
}

export interface ScheduleReport {
  readonly seed: number;
  readonly profile: Profile["name"];
  readonly statuses: readonly RunStatus[];
  readonly events: number;
  readonly violation: Violation | null;
  readonly runs: readonly SimRun[];
}

const SEEDS_PER_BUNDLE = 8;
/** Planted bugs are all looked for among the first seeds. */
const BUNDLES_KEPT = 128;
const bundles = new Map<string, Bundle>();
const TURNS_SHARE = 0.2;

/** Neighbouring seeds share their files, which are expensive to read, and differ in everything else. */
export function bundleOf(seed: number, hasTurns: boolean): Bundle {
  const bundleSeed = Math.floor(seed / SEEDS_PER_BUNDLE);
  const key = `${bundleSeed} ${hasTurns}`;
  const known = bundles.get(key);
  if (known !== undefined) return known;
  const bundle = drawBundle(bundleSeed, hasTurns);
  bundles.set(key, bundle);
  const [oldest] = bundles.keys();
  if (bundles.size > BUNDLES_KEPT && oldest !== undefined) bundles.delete(oldest);
  return bundle;
}

/** Plays the schedule of one seed and says what broke, if anything did. */
export function playSchedule(seed: number, options: ScheduleOptions = {}): ScheduleReport {
  const sometimes = options.sometimes ?? new Sometimes();
  const profile = options.profile ?? drawProfile(new Prng(seed).fork("profile"));
  const hasTurns = options.hasTurns ?? drawsTurns(seed);
  const checkers: readonly MakeChecker[] = [
    ...(options.checkers ?? CHECKERS),
    (around) => notesMarkers(sometimes, around),
  ];
  const suite = new Suite(checkers, seed, options.probes);
  const { engine, bugs, orderSeed, trace } = options;
  const world = new World({
    seed,
    bundle: bundleOf(seed, hasTurns),
    hasTurns,
    profile,
    suite,
    sometimes,
    ...(engine === undefined ? {} : { engine }),
    ...(bugs === undefined ? {} : { bugs }),
    ...(orderSeed === undefined ? {} : { orderSeed }),
    ...(trace === undefined ? {} : { trace }),
  });
  const violation = judge(() => world.play());
  const runs = [...world.runs.values()];
  return {
    seed,
    profile: profile.name,
    statuses: runs.map(({ facts }) => facts.status),
    events: runs.reduce((sum, { log }) => sum + log.length, 0),
    violation,
    runs,
  };
}

/** Alike for neighbouring seeds, which share their files. */
function drawsTurns(seed: number): boolean {
  return new Prng(Math.floor(seed / SEEDS_PER_BUNDLE)).fork("turns").chance(TURNS_SHARE);
}

/** A bug the engine throws is a broken promise as well. */
function judge(play: () => void): Violation | null {
  try {
    play();
    return null;
  } catch (error) {
    if (error instanceof Violation) return error;
    if (error instanceof Error) return new Violation("bug", "run", `${error.message}\n${error.stack ?? ""}`);
    throw error;
  }
}

/** One number for everything a schedule wrote. */
export function hashLogs(runs: readonly SimRun[]): number {
  let hash = 0;
  for (const { facts, log } of runs) {
    hash = hashText(facts.runId, hash);
    for (const event of log) hash = hashText(writeEvent(event), hash);
  }
  return hash;
}

/** The same for many schedules, one after the other. */
export function addHash(hash: number, runs: readonly SimRun[]): number {
  return (Math.imul(hash, 31) + hashLogs(runs)) >>> 0;
}

function writeEvent(event: RunEvent): string {
  return JSON.stringify(event);
}
