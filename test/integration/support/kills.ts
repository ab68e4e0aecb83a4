import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Prng } from "../../simulation/prng.ts";
import { Api } from "./api.ts";
import { Load, type Verdict } from "./load.ts";
import { type ServerProcess, type ServerSettings, startServer } from "./server-process.ts";
import { scriptText } from "./workload.ts";

export const KEY = "slk_integration_tests_only";

/** Files of one scenario; gone when it is over. */
export interface Workplace {
  readonly settings: Omit<ServerSettings, "command" | "databaseUrl">;
  dispose(): void;
}

export function openWorkplace(): Workplace {
  const data = mkdtempSync(join(tmpdir(), "sluice-integration-"));
  const script = join(data, "script.json");
  writeFileSync(script, scriptText());
  return {
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

/** Longest life of a server before it is killed; short ones hit its start, long ones the middle of the work. */
const LIFE_MS_MAX = 900;

/** Kills the server again and again while it works, starts it on what it left, and judges what became of the runs. */
export async function surviveKills({ seed, kills, databaseUrl, runsPerLife, note }: KillPlan): Promise<Verdict> {
  const dice = new Prng(seed);
  const workplace = openWorkplace();
  const settings: ServerSettings = { ...workplace.settings, command: "up", databaseUrl };
  let server: ServerProcess | null = await startServer(settings);
  try {
    const api = new Api(KEY, () => (server === null ? [] : [server.url]));
    await Load.saveSamples(api);
    const load = new Load(api, dice.fork("load"));
    for (let kill = 1; kill <= kills; kill += 1) {
      load.start(runsPerLife);
      const lifeMs = dice.below(LIFE_MS_MAX);
      await pause(lifeMs);
      const dying: ServerProcess = server;
      server = null;
      await dying.kill();
      note?.(`kill ${kill} after ${lifeMs} ms`);
      server = await startServer(settings);
    }
    await load.settle();
    return await load.judge(settings.ledger, { overlapMs: 0 });
  } finally {
    await server?.kill();
    workplace.dispose();
  }
}
