import { fileURLToPath } from "node:url";
import { connect } from "../../postgres/database.ts";
import { Prng } from "../../simulation/prng.ts";
import { Api } from "./api.ts";
import { ALL_SAMPLES, KEY, liveByCalls, openGround } from "./kills.ts";
import { Load, type Verdict } from "./load.ts";
import { callProgram, type ServerProcess, type ServerSettings, startServer } from "./server-process.ts";
import { PATIENCE_MS } from "./waiting.ts";

export interface ReplicaPlan {
  readonly seed: number;
  readonly replicas: number;
  readonly kills: number;
  readonly databaseUrl: string;
  readonly runsPerLife: number;
  /** Slots of the one agent that all nodes wait for; as many as an agent has otherwise. */
  readonly slots?: number;
  /** Every replica's clock is off by a little, and one that is off by minutes is refused at every kill. */
  readonly areClocksWrong?: boolean;
  readonly note?: (line: string) => void;
}

/** Above the time a process may be held up between a commit and what follows it. */
const OVERLAP_MS = 5_000;
/** Nodes that wait for few slots may wait as long as all the others take. */
const PATIENCE_CONTENDED_MS = 600_000;
/** A clock that is off by more than a minute keeps a replica from starting. */
const SKEW_MAX_MS = 50_000;
const SKEW_REFUSED_MS = 600_000;

/** Kills one of several replicas again and again; the others go on, and take over what it had begun. */
export async function surviveReplicaKills(plan: ReplicaPlan): Promise<Verdict> {
  const { seed, kills, databaseUrl, runsPerLife, slots, areClocksWrong = false, note } = plan;
  const dice = new Prng(seed);
  const ground = openGround();
  const settings: ServerSettings = { ...ground.settings, config: ground.config, command: "serve", databaseUrl };
  const start = (): Promise<ServerProcess> =>
    startServer(areClocksWrong ? skewed(settings, dice.between(-SKEW_MAX_MS, SKEW_MAX_MS)) : settings);
  callProgram(["migrate", "--database-url", databaseUrl]);
  const servers: (ServerProcess | null)[] = [];
  const starting = Array.from({ length: plan.replicas }, async () => servers.push(await start()));
  try {
    await Promise.all(starting);
    const api = new Api(KEY, () => servers.flatMap((server) => (server === null ? [] : [server.url])));
    await Load.saveSamples(api, ALL_SAMPLES);
    if (slots !== undefined) await limitAgent(api, slots);
    const load = new Load(api, dice.fork("load"), ALL_SAMPLES);
    const trouble: string[] = [];
    for (let kill = 1; kill <= kills; kill += 1) {
      load.start(runsPerLife);
      await liveByCalls(settings.ledger, dice);
      const victim = dice.below(servers.length);
      const dying = servers[victim];
      servers[victim] = null;
      await dying?.kill();
      note?.(`kill ${kill} of ${kills}: replica ${victim}`);
      load.start(runsPerLife);
      if (areClocksWrong) trouble.push(...(await refused(settings, kill % 2 === 0 ? 1 : -1)));
      servers[victim] = await start();
    }
    await load.settle(slots === undefined ? PATIENCE_MS : PATIENCE_CONTENDED_MS);
    const clockErrorMs = areClocksWrong ? SKEW_MAX_MS : 0;
    const verdict = await load.judge(settings.ledger, { overlapMs: OVERLAP_MS, clockErrorMs });
    return { ...verdict, violations: [...verdict.violations, ...trouble, ...(await leftovers(databaseUrl))] };
  } finally {
    for (const server of servers) await server?.kill();
    ground.dispose();
  }
}

async function limitAgent(api: Api, slots: number): Promise<void> {
  const status = await api.tryPut("/agents/default", { trust_level: 5, max_concurrent: slots });
  if (status === null || status >= 300) throw new Error(`the agent could not be limited: ${status}`);
}

const SKEWED_CLOCK = fileURLToPath(new URL("skewed-clock.cjs", import.meta.url));

function skewed(settings: ServerSettings, skewMs: number): ServerSettings {
  return { ...settings, env: { SKEW_MS: String(skewMs), NODE_OPTIONS: `--require ${SKEWED_CLOCK}` } };
}

async function refused(settings: ServerSettings, sign: 1 | -1): Promise<readonly string[]> {
  const skewMs = sign * SKEW_REFUSED_MS;
  try {
    const server = await startServer(skewed(settings, skewMs));
    await server.kill();
    return [`a replica whose clock is off by ${skewMs} ms has started`];
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return /the clock of this machine is \d+ s/.test(said) ? [] : [`a replica with a wrong clock said: ${said}`];
  }
}

const LEFT = `select
  (select count(*)::int from timers) as timers,
  (select count(*)::int from waiting_nodes) as "waiting nodes",
  (select count(*)::int from run_places) as places,
  (select count(*)::int from open_attempts) as "open attempts",
  (select count(*)::int from event_waiters) as "nodes that wait for events",
  (select coalesce(sum(open), 0)::int from agent_counters) as slots`;

/** Nothing of a run outlives it. */
async function leftovers(databaseUrl: string): Promise<readonly string[]> {
  const sql = connect(databaseUrl, 1);
  try {
    const [left] = await sql.query<Record<string, number>>({ name: "", text: LEFT });
    return Object.entries(left ?? {}).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what} are left`]));
  } finally {
    await sql.close();
  }
}
