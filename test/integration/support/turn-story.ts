import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parse, parseAllDocuments } from "yaml";
import { REPOSITORY } from "../../law/source.ts";
import { Prng } from "../../simulation/prng.ts";
import { Pair } from "./bridge-pair.ts";
import type { Verdict } from "./load.ts";
import { Answerer } from "./turn-answerer.ts";
import { judgeModels, readTurnLedger, type TurnCall } from "./turn-ledger.ts";
import { waitFor } from "./waiting.ts";

/** Events of the story when nothing is killed, from the start of the run to its end. */
export const STORY_EVENTS = 38;
const VICTIMS = ["bridge", "server"] as const;
const PATIENCE_MS = 180_000;
/** Longer than it takes to look how far a run is. */
const DELAY_MS = 40;

export interface StoryPlan {
  readonly seed: number;
  /** Null: the embedded database. */
  readonly databaseUrl: string | null;
  /** After how many events of its run something is killed, once for each of the two that can be. */
  readonly points: readonly number[];
  readonly note?: (line: string) => void;
}

const example = (name: string): string => readFileSync(join(REPOSITORY, "examples", name), "utf8");

interface Delayed {
  delay_ms?: number;
  calls?: Delayed[];
}

/** The script of the example, slow enough to be interrupted at every point. */
function scriptOf(): string {
  const script = parse(example("23-agent-turn.script.yaml")) as { nodes: { help: { rounds: Delayed[] } } };
  for (const round of script.nodes.help.rounds) {
    round.delay_ms = DELAY_MS;
    for (const call of round.calls ?? []) call.delay_ms = DELAY_MS;
  }
  return JSON.stringify(script);
}

const PLURALS: Readonly<Record<string, string>> = { Agent: "agents", Tool: "tools", Policy: "policies" };

/**
 * Plays examples/23: an agent looks up an order, wants to refund 900, and is allowed 450. Something is killed at each point
 * of the story; the ledger of the tools has to be the same each time.
 */
export async function surviveStory({ seed, databaseUrl, points, note }: StoryPlan): Promise<Verdict> {
  const dice = new Prng(seed);
  const pair = await Pair.open({ dice, databaseUrl, script: scriptOf() });
  const approved = { modifications: { args: { order: 7, amount: 450 } } };
  const answering = new Answerer(pair.api, pair.ledger, { approved, result: { done: true } });
  try {
    for (const manifest of parseAllDocuments(example("23-registry/turn.yaml"))) {
      const { kind, name, spec } = manifest.toJS() as { kind: string; name: string; spec: object };
      await pair.api.put(`/${PLURALS[kind]}/${name}`, spec);
    }
    await pair.api.putWorkflow("broken-order", example("23-agent-turn.lobsterX"));
    const runs: string[] = [];
    const killedAt: number[] = [];
    for (const point of points) {
      for (const victim of VICTIMS) {
        const { id } = await pair.api.startRun("broken-order", `story-${victim}-${point}`);
        runs.push(id);
        const hasCome = async (): Promise<boolean> => (await pair.api.readLog(id)).length >= point;
        await waitFor(`event ${point}`, async () => (await hasCome()) || (await hasEnded(pair, id)), {
          patienceMs: PATIENCE_MS,
          everyMs: 5,
        });
        killedAt.push(Date.now());
        if (victim === "server") await pair.killServer();
        else await pair.killBridge();
        await pause(dice.below(100));
        if (victim === "server") await pair.startServer();
        else await pair.startBridge();
        note?.(`${victim} killed after event ${point}`);
      }
    }
    await waitFor("all stories to end", async () => (await pair.api.listRuns("running")).length === 0, {
      patienceMs: PATIENCE_MS,
      everyMs: 250,
    });
    return await judge(pair, runs, killedAt);
  } finally {
    await answering.stop();
    await pair.dispose();
  }
}

async function hasEnded({ api }: Pair, runId: string): Promise<boolean> {
  return (await api.getRun(runId)).status === "completed";
}

async function judge(pair: Pair, runs: readonly string[], killedAt: readonly number[]): Promise<Verdict> {
  const calls = readTurnLedger(pair.ledger);
  const violations: string[] = [];
  let [events, completed] = [0, 0];
  for (const runId of runs) {
    const log = await pair.api.readLog(runId);
    const own = calls.filter((call) => call.run === runId);
    const { status } = await pair.api.getRun(runId);
    events += log.length;
    if (status === "completed") completed += 1;
    else violations.push(`${runId} is ${status}`);
    violations.push(...judgeStory(runId, own));
    violations.push(...judgeModels(runId, own, Date.parse(log[0]?.timestamp ?? ""), killedAt));
  }
  const keys = new Set(calls.map(({ kind, idempotencyKey }) => `${kind} ${idempotencyKey}`));
  const counts = { runs: runs.length, completed, events, calls: calls.length, blocks: 0, sent: 0 };
  return { ...counts, repeatedCalls: calls.length - keys.size, violations };
}

/** One order looked up, and one refund of 450, which is made once and not only under one key. */
function judgeStory(runId: string, calls: readonly TurnCall[]): readonly string[] {
  const tools = calls.flatMap((call) => (call.kind === "tool" ? [call] : []));
  const refunds = tools.filter(({ tool }) => tool === "refund").map(({ args }) => JSON.stringify(args));
  const looks = new Set(tools.filter(({ tool }) => tool === "find_order").map(({ idempotencyKey }) => idempotencyKey));
  const isRight = refunds.join() === JSON.stringify({ order: 7, amount: 450 }) && looks.size === 1;
  return isRight ? [] : [`${runId} looked up ${looks.size} orders and refunded ${refunds.join(" and ") || "nothing"}`];
}
