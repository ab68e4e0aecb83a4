import { openPostgres } from "../../../src/postgres/index.ts";
import { Prng } from "../../simulation/prng.ts";
import { Api } from "./api.ts";
import { KEY, liveByCalls, openGround } from "./kills.ts";
import { Load, type Verdict } from "./load.ts";
import { callProgram, type ServerProcess, type ServerSettings, startServer } from "./server-process.ts";

export interface ContendedPlan {
  readonly seed: number;
  readonly replicas: number;
  readonly kills: number;
  readonly databaseUrl: string;
  readonly runsPerLife: number;
  readonly note?: (line: string) => void;
}

const SLOTS = 4;
const OVERLAP_MS = 5_000;
/** Nodes may wait as long as all the others take. */
const PATIENCE_MS = 600_000;

/**
 * Many runs wait for the few slots of one agent on several replicas, which are killed again and again: none is stranded,
 * and nothing of a run outlives it.
 */
export async function surviveContention(plan: ContendedPlan): Promise<Verdict> {
  const { seed, kills, databaseUrl, runsPerLife, note } = plan;
  const dice = new Prng(seed);
  const ground = openGround();
  const settings: ServerSettings = { ...ground.settings, command: "serve", databaseUrl };
  callProgram(["migrate", "--database-url", databaseUrl]);
  const servers: (ServerProcess | null)[] = [];
  for (let index = 0; index < plan.replicas; index += 1) servers.push(await startServer(settings));
  const sql = openPostgres({ url: databaseUrl, connections: 1 });
  try {
    const api = new Api(KEY, () => servers.flatMap((server) => (server === null ? [] : [server.url])));
    await Load.saveSamples(api);
    const limit = { trust_level: 5, max_concurrent: SLOTS };
    const status = await api.tryPut("/agents/default", limit);
    if (status === null || status >= 300) throw new Error(`the agent could not be limited: ${status}`);
    const load = new Load(api, dice.fork("load"));
    for (let kill = 1; kill <= kills; kill += 1) {
      load.start(runsPerLife);
      await liveByCalls(settings.ledger, dice);
      const victim = dice.below(servers.length);
      const dying = servers[victim];
      servers[victim] = null;
      await dying?.kill();
      note?.(`kill ${kill} of ${kills}: replica ${victim}`);
      servers[victim] = await startServer(settings);
    }
    await load.settle(PATIENCE_MS);
    const verdict = await load.judge(settings.ledger, { overlapMs: OVERLAP_MS });
    const [left] = await sql.query<Record<string, number>>({ name: "", text: LEFT });
    const found = Object.entries(left ?? {}).flatMap(([what, count]) =>
      count === 0 ? [] : [`${count} ${what} are left`],
    );
    return { ...verdict, violations: [...verdict.violations, ...found] };
  } finally {
    for (const server of servers) await server?.kill();
    await sql.close();
    ground.dispose();
  }
}

const LEFT = `select
  (select count(*)::int from timers) as timers,
  (select count(*)::int from waiting_nodes) as "waiting nodes",
  (select count(*)::int from open_attempts) as "open attempts",
  (select coalesce(sum(open), 0)::int from agent_counters) as slots`;
