import { setTimeout as pause } from "node:timers/promises";
import type { EventFrame } from "../../../src/core/view/index.ts";
import { Prng } from "../../simulation/prng.ts";
import type { Api } from "./api.ts";
import { Pair } from "./bridge-pair.ts";
import type { KillPlan } from "./kills.ts";
import type { Verdict } from "./load.ts";
import { readTurnLedger, type TurnCall } from "./turn-ledger.ts";
import { waitFor } from "./waiting.ts";

const ROUNDS = 10;
const WORKFLOW = `name: turns
steps:
  - {id: agent, command: Work., tools: [look, note, pay]}
`;

/** Ten rounds, each with a look, every second with a note beside it, and payments in three of them. */
function scriptOf(): string {
  const rounds = Array.from({ length: ROUNDS - 1 }, (_, round) => ({
    text: `Round ${round}.`,
    delay_ms: 15,
    tokens: { input: 10, output: 5 },
    cost_usd: 0.001,
    calls: [
      { tool: "look", args: { round }, result: { round }, delay_ms: 10 },
      ...(round % 2 === 0 ? [{ tool: "note", args: { round }, result: "noted", delay_ms: 20 }] : []),
      ...(round % 3 === 0 ? [{ tool: "pay", args: { round, amount: 5 }, result: "paid", delay_ms: 30 }] : []),
    ],
  }));
  return JSON.stringify({ nodes: { agent: { rounds: [...rounds, { text: "Done.", cost_usd: 0.001 }] } } });
}

export interface TurnVerdict extends Verdict {
  readonly toolCalls: number;
  readonly modelCalls: number;
  /** Model calls beyond the first of a round: what the kills cost. */
  readonly repeatedModels: number;
  /** Tool calls that may be made again, and were. */
  readonly repeatedTools: number;
  /** Payments that were held and approved. */
  readonly held: number;
  /** Payments whose outcome a person had to say. */
  readonly unknown: number;
}

const PATIENCE_MS = 120_000;

const VICTIMS = ["server", "bridge", "both"] as const;

/** Kills the server, its Bridge or both in the middle of turns, and judges from the ledger of what was called. */
export async function surviveTurnKills(plan: KillPlan): Promise<TurnVerdict> {
  const { seed, kills, databaseUrl, runsPerLife, note } = plan;
  const dice = new Prng(seed);
  const pair = await Pair.open({ dice, databaseUrl, script: scriptOf() });
  const answering = new Answerer(pair.api, pair.ledger);
  try {
    await pair.api.put("/tools/pay", { name: "pay", action: "write", effects: "at_most_once" });
    await pair.api.put("/tools/rest", { name: "*", action: "read" });
    await pair.api.putWorkflow("turns", WORKFLOW);
    const runs: string[] = [];
    for (let kill = 1; kill <= kills; kill += 1) {
      for (let index = 0; index < runsPerLife; index += 1) {
        runs.push((await pair.api.startRun("turns", `turn-${kill}-${index}`)).id);
      }
      await pause(dice.between(60, 700));
      const victim = VICTIMS[kill - 1] ?? dice.pick(VICTIMS);
      if (victim !== "bridge") await pair.killServer();
      if (victim !== "server") await pair.killBridge();
      await pause(dice.below(200));
      if (victim !== "bridge") await pair.startServer();
      if (victim !== "server") await pair.startBridge();
      note?.(`kill ${kill} of ${kills}: ${victim}`);
    }
    const haveEnded = async (): Promise<boolean> => (await pair.api.listRuns("running")).length === 0;
    await waitFor("all turns to end", haveEnded, { patienceMs: PATIENCE_MS, everyMs: 250 }).catch(
      async (error: unknown) => {
        throw new Error(`${String(error)}: ${await standing(pair, runs)}`);
      },
    );
    return await judge(pair, runs, kills, answering);
  } finally {
    await answering.stop();
    await pair.dispose();
  }
}

/** How far those are that have not ended. */
async function standing({ api, complaints }: Pair, runs: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const runId of runs) {
    if ((await api.getRun(runId)).status !== "running") continue;
    const last = (await api.readLog(runId))
      .slice(-6)
      .map(({ type, payload }) => `${type} ${JSON.stringify(payload).slice(0, 200)}`);
    lines.push(`${runId}: ${last.join(" | ")}`);
  }
  return [...lines, complaints.slice(-2_000)].join("\n");
}

/** Approves payments, and says what became of those that never reported, as the ledger of the tool shows it. */
class Answerer {
  readonly #api: Api;
  readonly #ledger: string;
  readonly #done: Promise<void>;
  #isStopped = false;
  held = 0;
  unknown = 0;

  constructor(api: Api, ledger: string) {
    this.#api = api;
    this.#ledger = ledger;
    this.#done = this.#run();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const open = await this.#api.listApprovals("pending").catch(() => []);
      for (const { id, runId } of open) {
        const answer = await this.#answerTo(runId, id).catch(() => null);
        if (answer === null || (await this.#api.tryPost(`/approvals/${id}/resolve`, answer)) !== 200) continue;
        if ("modifications" in answer || answer.decision === "retry") this.unknown += 1;
        else this.held += 1;
      }
      await pause(100);
    }
  }

  async #answerTo(runId: string, approvalId: string): Promise<{ decision: string; modifications?: object } | null> {
    const about = (await this.#api.readLog(runId)).filter(
      ({ payload }) => (payload as { approvalId?: string }).approvalId === approvalId,
    );
    const asked = about.find(({ type }) => type === "approval.requested")?.payload as { choices: string[] } | undefined;
    const held = about.findLast(({ type }) => type === "tool.decided")?.payload as { callId: string } | undefined;
    if (asked === undefined || held === undefined) return null;
    if (!asked.choices.includes("retry")) return { decision: "approve" };
    const isMade = readTurnLedger(this.#ledger).some((line) => line.kind === "tool" && line.callId === held.callId);
    return isMade ? { decision: "approve", modifications: { result: "paid" } } : { decision: "retry" };
  }
}

/** How far the clocks of the server and of the Bridge may be apart on one machine. */
const CLOCK_MS = 20;

async function judge(
  pair: Pair,
  runs: readonly string[],
  kills: number,
  { held, unknown }: Answerer,
): Promise<TurnVerdict> {
  const calls = readTurnLedger(pair.ledger);
  const violations: string[] = [];
  let [events, completed] = [0, 0];
  for (const runId of runs) {
    const run = await pair.api.getRun(runId);
    const own = calls.filter((call) => call.run === runId);
    if (run.status !== "completed") violations.push(`${runId} is ${run.status}`);
    else completed += 1;
    const log = await pair.api.readLog(runId);
    events += log.length;
    violations.push(...judgeTurn(runId, own, log, kills));
  }
  const tools = calls.filter((call) => call.kind === "tool");
  const models = calls.filter((call) => call.kind === "model");
  const keys = new Set(calls.map(({ kind, idempotencyKey }) => `${kind} ${idempotencyKey}`));
  return {
    runs: runs.length,
    completed,
    events,
    calls: calls.length,
    repeatedCalls: calls.length - keys.size,
    toolCalls: tools.length,
    modelCalls: models.length,
    repeatedModels: models.length - new Set(models.map(({ idempotencyKey }) => idempotencyKey)).size,
    repeatedTools: tools.length - new Set(tools.map(({ idempotencyKey }) => idempotencyKey)).size,
    held,
    unknown,
    violations,
  };
}

function judgeTurn(
  runId: string,
  calls: readonly TurnCall[],
  log: readonly EventFrame[],
  kills: number,
): readonly string[] {
  const found: string[] = [];
  const completedAt = new Map<string, number>();
  const allowed = new Map<string, number>();
  for (const { type, payload, timestamp } of log) {
    const {
      callId = "",
      round = 0,
      disposition,
    } = payload as { callId?: string; round?: number; disposition?: string };
    if (type === "tool.completed") completedAt.set(callId, Date.parse(timestamp));
    if (type === "round.completed") completedAt.set(`${runId}/agent/0/${round}`, Date.parse(timestamp));
    if (type === "tool.decided" && disposition === "allow" && !allowed.has(callId))
      allowed.set(callId, Date.parse(timestamp));
  }
  const seen = new Map<string, number>();
  for (const call of calls) {
    const { idempotencyKey: key, at } = call;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    const before = completedAt.get(key);
    if (before !== undefined && at > before + CLOCK_MS)
      found.push(`${key} was called ${at - before} ms after it was kept`);
    if (call.kind !== "tool") continue;
    const judgedAt = allowed.get(call.callId);
    if (judgedAt === undefined || at + CLOCK_MS < judgedAt) found.push(`${key} was called before it was allowed`);
    if (call.tool === "pay" && (seen.get(key) ?? 0) > 1) found.push(`${key} was paid ${seen.get(key)} times`);
  }
  const models = calls.filter((call) => call.kind === "model");
  const repeated = models.length - new Set(models.map(({ idempotencyKey }) => idempotencyKey)).size;
  if (repeated > kills) found.push(`${runId} repeated ${repeated} model calls in ${kills} kills`);
  const missing = Array.from({ length: ROUNDS }, (_, round) => `${runId}/agent/0/${round}`).filter(
    (key) => !completedAt.has(key),
  );
  if (missing.length > 0) found.push(`${runId} has no ${missing.join(", ")}`);
  return found;
}
