import { setTimeout as pause } from "node:timers/promises";
import type { EventFrame } from "../../../src/core/view/index.ts";
import { Prng } from "../../simulation/prng.ts";
import { Pair } from "./bridge-pair.ts";
import type { KillPlan } from "./kills.ts";
import type { Verdict } from "./load.ts";
import { Answerer } from "./turn-answerer.ts";
import { CLOCK_MS, judgeModels, readTurnLedger, type TurnCall } from "./turn-ledger.ts";
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
const CALL_MS_MAX = 30_000;

const VICTIMS = ["server", "bridge", "both", "bridge of a new server"] as const;

/** Kills the server, its Bridge or both in the middle of turns, and judges from the ledger of what was called. */
export async function surviveTurnKills(plan: KillPlan): Promise<TurnVerdict> {
  const { seed, kills, databaseUrl, runsPerLife, note } = plan;
  const dice = new Prng(seed);
  const pair = await Pair.open({ dice, databaseUrl, script: scriptOf() });
  const answering = new Answerer(pair.api, pair.ledger, { approved: {}, result: "paid" });
  try {
    await pair.api.put("/tools/pay", { name: "pay", action: "write", effects: "at_most_once" });
    await pair.api.put("/tools/rest", { name: "*", action: "read" });
    await pair.api.putWorkflow("turns", WORKFLOW);
    const runs: string[] = [];
    const killedAt: number[] = [];
    for (let kill = 1; kill <= kills; kill += 1) {
      for (let index = 0; index < runsPerLife; index += 1) {
        runs.push((await pair.api.startRun("turns", `turn-${kill}-${index}`)).id);
      }
      await pause(dice.between(60, 700));
      const victim = VICTIMS[kill - 1] ?? dice.pick(VICTIMS);
      if (victim !== "server") await nextCall(pair);
      await killAndStart(pair, victim, dice, killedAt);
      note?.(`kill ${kill} of ${kills}: ${victim}`);
    }
    const open = async (): Promise<number> => (await pair.api.listRuns("running")).length;
    // However slow the machine is: as long as one turn after the other ends, nothing hangs.
    for (let left = await open(); left > 0; left = await open()) {
      const hasEnded = async (): Promise<boolean> => (await open()) < left;
      await waitFor("a turn to end", hasEnded, { patienceMs: PATIENCE_MS, everyMs: 250 }).catch(
        async (error: unknown) => {
          throw new Error(`${String(error)}: ${await standing(pair, runs)}`);
        },
      );
    }
    return await judge(pair, runs, killedAt, answering);
  } finally {
    await answering.stop();
    await pair.dispose();
  }
}

async function killAndStart(
  pair: Pair,
  victim: (typeof VICTIMS)[number],
  dice: Prng,
  killedAt: number[],
): Promise<void> {
  killedAt.push(Date.now());
  if (victim !== "bridge") await pair.killServer();
  // The Bridge ends when the new server has received its reports, and maybe not yet reached it.
  const starting = victim === "bridge of a new server" ? pair.startServer() : null;
  if (starting !== null) {
    await pause(dice.between(400, 2_500));
    killedAt.push(Date.now());
  }
  if (victim !== "server") await pair.killBridge();
  await pause(dice.below(200));
  if (victim !== "bridge") await (starting ?? pair.startServer());
  if (victim !== "server") await pair.startBridge();
}

/** Lasts until a call begins, so that the blow interrupts one, however slow the machine is between them. */
async function nextCall({ ledger }: Pair): Promise<void> {
  const before = readTurnLedger(ledger).length;
  const until = Date.now() + CALL_MS_MAX;
  while (readTurnLedger(ledger).length === before && Date.now() < until) await pause(2);
}

/** How far those are that have not ended. */
async function standing({ api, complaints }: Pair, runs: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const runId of runs) {
    if ((await api.getRun(runId)).status !== "running") continue;
    lines.push(`${runId}: ${endOf(await api.readLog(runId))}`);
  }
  return [...lines, complaints.slice(-2_000)].join("\n");
}

function endOf(log: readonly EventFrame[]): string {
  return log
    .slice(-6)
    .map(({ type, payload }) => `${type} ${JSON.stringify(payload).slice(0, 200)}`)
    .join(" | ");
}

async function judge(
  pair: Pair,
  runs: readonly string[],
  killedAt: readonly number[],
  { held, unknown }: Answerer,
): Promise<TurnVerdict> {
  const calls = readTurnLedger(pair.ledger);
  const violations: string[] = [];
  let [events, completed] = [0, 0];
  for (const runId of runs) {
    const run = await pair.api.getRun(runId);
    const own = calls.filter((call) => call.run === runId);
    const log = await pair.api.readLog(runId);
    if (run.status !== "completed") violations.push(`${runId} is ${run.status}: ${endOf(log)}`);
    else completed += 1;
    events += log.length;
    violations.push(...judgeTurn(runId, own, log, killedAt));
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
    blocks: 0,
    sent: 0,
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
  killedAt: readonly number[],
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
  found.push(...judgeModels(runId, calls, Date.parse(log[0]?.timestamp ?? ""), killedAt));
  const missing = Array.from({ length: ROUNDS }, (_, round) => `${runId}/agent/0/${round}`).filter(
    (key) => !completedAt.has(key),
  );
  if (missing.length > 0) found.push(`${runId} has no ${missing.join(", ")}`);
  return found;
}
