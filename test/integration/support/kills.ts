import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Prng } from "../../simulation/prng.ts";
import { Api } from "./api.ts";
import { Load, type Verdict } from "./load.ts";
import { type ServerProcess, type ServerSettings, startServer } from "./server-process.ts";
import { ADAPTER_CONFIG, FLOW_SAMPLES } from "./flow-samples.ts";
import { type Sample, SAMPLES, scriptText } from "./workload.ts";

export const KEY = "slk_integration_tests_only";

/** What runs on a server alone: everything. */
export const ALL_SAMPLES: readonly Sample[] = [...SAMPLES, ...FLOW_SAMPLES];

/** Files of one scenario; gone when it is over. */
export interface Ground {
  readonly settings: Omit<ServerSettings, "command" | "databaseUrl">;
  /** Of the adapters that some samples need. */
  readonly config: string;
  dispose(): void;
}

/** What is answered is the script of the samples, or another one. */
export function openGround(answers = scriptText()): Ground {
  const data = mkdtempSync(join(tmpdir(), "sluice-integration-"));
  const script = join(data, "script.json");
  const config = join(data, "adapters.json");
  writeFileSync(script, answers);
  writeFileSync(config, JSON.stringify(ADAPTER_CONFIG));
  return {
    config,
    settings: { data, script, ledger: join(data, "ledger.jsonl"), key: KEY },
    dispose: () => rmSync(data, { recursive: true, force: true }),
  };
}

export interface KillPlan {
  readonly seed: number;
  readonly kills: number;
  /** Null: the embedded database. */
  readonly databaseUrl: string | null;
  readonly runsPerLife: number;
  readonly note?: (line: string) => void;
}

/** Lives by the clock hit the start of a server too; lives by its work reach the middle of it on any machine. */
const LIFE_MS_MAX = 900;
const LIFE_CALLS_MAX = 60;
const LINGER_MS_MAX = 300;
/** A server that has nothing to do is killed all the same; a slow one has not even begun. */
const LULL_MS = 3_000;
const FIRST_CALL_MS = 30_000;

/** Kills the server again and again while it works, starts it on what it left, and judges what became of the runs. */
export async function surviveKills({ seed, kills, databaseUrl, runsPerLife, note }: KillPlan): Promise<Verdict> {
  const dice = new Prng(seed);
  const ground = openGround();
  const { config } = ground;
  const settings: ServerSettings = { ...ground.settings, config, command: "up", databaseUrl };
  let server: ServerProcess | null = await startServer(settings);
  try {
    const api = new Api(KEY, () => (server === null ? [] : [server.url]));
    await Load.saveSamples(api, ALL_SAMPLES);
    const load = new Load(api, dice.fork("load"), ALL_SAMPLES);
    for (let kill = 1; kill <= kills; kill += 1) {
      load.start(runsPerLife);
      await (kill % 2 === 0 ? pause(dice.below(LIFE_MS_MAX)) : liveByCalls(settings.ledger, dice));
      const dying: ServerProcess = server;
      server = null;
      await dying.kill();
      note?.(`kill ${kill} of ${kills}`);
      server = await startServer(settings);
    }
    await load.settle();
    return await load.judge(settings.ledger, { overlapMs: 0 });
  } finally {
    await server?.kill();
    ground.dispose();
  }
}

/** Lasts until the adapter was called so many times, and a moment longer. */
export async function liveByCalls(ledger: string, dice: Prng): Promise<void> {
  const before = countCalls(ledger);
  const wanted = before + dice.between(1, LIFE_CALLS_MAX);
  const lingerMs = dice.below(LINGER_MS_MAX);
  const begun = Date.now();
  for (let calls = before; calls < wanted; calls = countCalls(ledger)) {
    if (Date.now() > begun + (calls === before ? FIRST_CALL_MS : LULL_MS)) break;
    await pause(5);
  }
  await pause(lingerMs);
}

/** Lines are of about one length, and the exact number does not matter. */
function countCalls(ledger: string): number {
  return Math.floor((statSync(ledger, { throwIfNoEntry: false })?.size ?? 0) / LINE_BYTES);
}

const LINE_BYTES = 220;
