import { join } from "node:path";
import { Prng } from "../../simulation/prng.ts";
import { Api } from "./api.ts";
import { KEY, openGround } from "./kills.ts";
import { callProgram, type ServerProcess, startServer } from "./server-process.ts";
import { waitFor } from "./waiting.ts";
import { type Act, WorkerCrew } from "./worker-crew.ts";

export interface WorkerKillPlan {
  readonly seed: number;
  readonly kills: number;
  /** In all, half of them at_most_once. */
  readonly functions: number;
  /** Null: the embedded database; else two replicas on it. */
  readonly databaseUrl: string | null;
  readonly note?: (line: string) => void;
}

export interface WorkerVerdict {
  readonly violations: readonly string[];
  readonly completed: number;
  readonly unknown: number;
  readonly acts: number;
  readonly repeated: number;
}

const WORKERS = 3;
/** Long enough that a worker which is killed holds some. */
const DELAY_MS = 100;

/** Every element is done by a function; what the workers that died leave open counts as failed, and not for the run. */
export function manySource(name: string, functionName: string): string {
  return JSON.stringify({
    name,
    args: { list: { type: "array" } },
    max_parallel: 200,
    steps: [
      {
        id: "each",
        function: functionName,
        agent: "hands",
        for_each: "${list}",
        max_items: 10_000,
        tolerate: "100%",
        inputs: { n: "${item}", delayMs: DELAY_MS },
        queue_timeout: "1h",
      },
    ],
  });
}

/** An agent that may do as many things at once as there are. */
export const HANDS = { max_concurrent: 400, autonomy: "bounded", trust_level: 5 };

/** Kills workers again and again while they work, two of three, and judges by the ledger of the functions themselves. */
export async function surviveWorkerKills(plan: WorkerKillPlan): Promise<WorkerVerdict> {
  const { seed, kills, functions, databaseUrl, note } = plan;
  const dice = new Prng(seed);
  const ground = openGround();
  const command = databaseUrl === null ? "up" : "serve";
  if (databaseUrl !== null) callProgram(["migrate", "--database-url", databaseUrl]);
  const servers: ServerProcess[] = [];
  const crew = new WorkerCrew({ key: KEY, ledger: join(ground.settings.data, "acts.jsonl"), concurrency: 20 });
  try {
    for (let count = databaseUrl === null ? 1 : 2; count > 0; count -= 1) {
      servers.push(await startServer({ ...ground.settings, command, databaseUrl }));
    }
    const api = new Api(KEY, () => servers.map(({ url }) => url));
    await api.put("/agents/hands", HANDS);
    const urlOf = (at: number): string => servers[at % servers.length]?.url ?? "";
    for (let at = 0; at < WORKERS; at += 1) await crew.start(urlOf(at));
    for (const name of ["count", "charge"]) await api.putWorkflow(`many-${name}`, manySource(`many-${name}`, name));
    const runIds: string[] = [];
    const share = Math.ceil(functions / kills);
    for (let kill = 0; kill < kills; kill += 1) {
      const from = kill * share;
      const list = Array.from({ length: Math.min(share, functions - from) }, (_, index) => from + index);
      const begun = crew.acts().length;
      const name = kill % 2 === 0 ? "count" : "charge";
      runIds.push((await api.startRun(`many-${name}`, `worker-kills-${seed}-${kill}`, { list })).id);
      // In the middle of its work: what dead workers hold is given out only later, so not all of it is begun at once.
      const some = begun + 1 + dice.below(Math.ceil(list.length / 2));
      await waitFor(`${some} functions are begun`, () => Promise.resolve(crew.acts().length >= some));
      // The first is left alone: two of three are killed.
      const victim = crew.workers[1 + (kill % (WORKERS - 1))];
      if (victim !== undefined) await crew.kill(victim);
      await crew.start(urlOf(kill));
      if (kill % 10 === 9) note?.(`${kill + 1} kills, ${crew.acts().length} functions begun`);
    }
    return await judgeWorkers(api, runIds, () => crew.acts());
  } finally {
    await crew.dispose();
    for (const server of servers) await server.kill();
    ground.dispose();
  }
}

async function judgeWorkers(
  api: Api,
  runIds: readonly string[],
  readActs: () => readonly Act[],
): Promise<WorkerVerdict> {
  const violations: string[] = [];
  let [completed, unknown] = [0, 0];
  const results: { readonly key: string; readonly status: string; readonly errorCode: string | null }[] = [];
  for (const runId of runIds) {
    await api.waitUntilEnded(runId);
    for (const node of (await api.getState(runId)).nodeResults) {
      if (node.nodeId === "each") continue;
      results.push({ key: `${runId}/${node.nodeId}/0`, status: node.status, errorCode: node.errorCode });
    }
  }
  const acts = readActs().filter(({ name }) => name !== "aborted");
  const counts = new Map<string, number>();
  for (const { key } of acts) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { name, key } of acts) {
    if (name === "charge" && counts.get(key) !== 1) violations.push(`${key} is at_most_once, and was done twice`);
  }
  for (const { key, status, errorCode } of results) {
    if (status === "completed") completed += 1;
    else if (errorCode === "outcome_unknown") unknown += 1;
    else violations.push(`${key} is ${status} with ${errorCode}`);
    if (status === "completed" && !counts.has(key)) violations.push(`${key} has completed, and was never done`);
  }
  const isCharge = new Set(acts.flatMap(({ name, key }) => (name === "charge" ? [key] : [])));
  for (const { key, errorCode } of results) {
    if (errorCode === "outcome_unknown" && counts.has(key) && !isCharge.has(key)) {
      violations.push(`${key} may be repeated, and was given up`);
    }
  }
  const repeated = [...counts.values()].filter((count) => count > 1).length;
  return { violations: [...new Set(violations)], completed, unknown, acts: acts.length, repeated };
}
