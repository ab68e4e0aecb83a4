import { Prng } from "../../simulation/prng.ts";
import { Api } from "./api.ts";
import { KEY, liveByCalls, openGround } from "./kills.ts";
import { Load, type Verdict } from "./load.ts";
import { callProgram, type ServerProcess, type ServerSettings, startServer } from "./server-process.ts";

export interface ReplicaPlan {
  readonly seed: number;
  readonly replicas: number;
  readonly kills: number;
  readonly databaseUrl: string;
  readonly runsPerLife: number;
  readonly note?: (line: string) => void;
}

/** Above the time a process may be held up between a commit and what follows it. */
const OVERLAP_MS = 5_000;

/** Kills one of several replicas again and again; the others go on, and take over what it had begun. */
export async function surviveReplicaKills(plan: ReplicaPlan): Promise<Verdict> {
  const { seed, kills, databaseUrl, runsPerLife, note } = plan;
  const dice = new Prng(seed);
  const ground = openGround();
  const settings: ServerSettings = { ...ground.settings, command: "serve", databaseUrl };
  callProgram(["migrate", "--database-url", databaseUrl]);
  const starting = Array.from({ length: plan.replicas }, () => startServer(settings));
  const servers: (ServerProcess | null)[] = await Promise.all(starting);
  try {
    const api = new Api(KEY, () => servers.flatMap((server) => (server === null ? [] : [server.url])));
    await Load.saveSamples(api);
    const load = new Load(api, dice.fork("load"));
    for (let kill = 1; kill <= kills; kill += 1) {
      load.start(runsPerLife);
      await liveByCalls(settings.ledger, dice);
      const victim = dice.below(servers.length);
      const dying = servers[victim];
      servers[victim] = null;
      await dying?.kill();
      note?.(`kill ${kill} of ${kills}: replica ${victim}`);
      load.start(runsPerLife);
      servers[victim] = await startServer(settings);
    }
    await load.settle();
    return await load.judge(settings.ledger, { overlapMs: OVERLAP_MS });
  } finally {
    for (const server of servers) await server?.kill();
    ground.dispose();
  }
}
