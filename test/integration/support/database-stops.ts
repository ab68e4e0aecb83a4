import { setTimeout as pause } from "node:timers/promises";
import { Prng } from "../../simulation/prng.ts";
import { Api } from "./api.ts";
import { KEY, openGround } from "./kills.ts";
import { Load, type Verdict } from "./load.ts";
import type { PostgresInstance } from "./postgres-instance.ts";
import { startServer } from "./server-process.ts";

export interface StopPlan {
  readonly seed: number;
  readonly stops: number;
  readonly postgres: PostgresInstance;
  readonly runsPerStop: number;
  readonly note?: (line: string) => void;
}

const UP_MS_MAX = 1_200;
const DOWN_MS_MAX = 1_500;

export interface StopVerdict extends Verdict {
  readonly hasCrashed: boolean;
  /** Exit code of the server after a SIGTERM that came while the database was away and work was in flight. */
  readonly endedWith: number | null;
}

/**
 * Stops the database without a goodbye while a server works, starts it again, and judges what became of the runs; at last
 * stops the server while the database is away.
 */
export async function surviveDatabaseStops(plan: StopPlan): Promise<StopVerdict> {
  const { seed, stops, postgres, runsPerStop, note } = plan;
  const dice = new Prng(seed);
  const ground = openGround();
  const { settings } = ground;
  const server = await startServer({ ...settings, command: "up", databaseUrl: postgres.url });
  try {
    const api = new Api(KEY, () => [server.url]);
    await Load.saveSamples(api);
    const load = new Load(api, dice.fork("load"));
    for (let stop = 1; stop <= stops; stop += 1) {
      load.start(runsPerStop);
      await pause(dice.below(UP_MS_MAX));
      await postgres.stopImmediately();
      load.start(runsPerStop);
      const downMs = dice.below(DOWN_MS_MAX);
      await pause(downMs);
      await postgres.start();
      note?.(`stop ${stop} for ${downMs} ms`);
    }
    await load.settle();
    // The process is one all along: what it decided before a stop it must not do again after it.
    const verdict = await load.judge(settings.ledger, { overlapMs: 0 });
    const hasCrashed = !server.isAlive;
    new Load(api, dice.fork("last")).start(runsPerStop);
    await postgres.stopImmediately();
    return { ...verdict, hasCrashed, endedWith: await server.stop() };
  } finally {
    await server.kill();
    ground.dispose();
  }
}
