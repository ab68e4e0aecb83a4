import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Prng } from "../simulation/prng.ts";
import { Pair } from "./support/bridge-pair.ts";
import { type PostgresInstance, startPostgres } from "./support/postgres-instance.ts";
import { prepareProgram } from "./support/server-process.ts";
import { readTurnLedger } from "./support/turn-ledger.ts";
import { waitFor } from "./support/waiting.ts";

const MINUTES = 60_000;
const ROUNDS = 6;
const WORKFLOW = `name: turns
steps:
  - {id: before, command: Prepare.}
  - {id: agent, depends_on: [before], command: Work., tools: [look]}
  - {id: after, depends_on: [agent], command: "Close: \${agent.stdout}"}
`;

function scriptOf(): string {
  const rounds = Array.from({ length: ROUNDS - 1 }, (_, round) => ({
    text: `Round ${round}.`,
    delay_ms: 60,
    tokens: { input: 10, output: 5 },
    cost_usd: 0.001,
    calls: [{ tool: "look", args: { round }, result: { round }, delay_ms: 60 }],
  }));
  const nodes = { before: { stdout: "ready" }, agent: { rounds: [...rounds, { text: "Done.", cost_usd: 0.001 }] } };
  return JSON.stringify({ nodes: { ...nodes, after: { stdout: "closed" } } });
}

describe("a run that begins inside the turn of another, over a Bridge", () => {
  let postgres: PostgresInstance;
  let pair: Pair;
  beforeAll(async () => {
    prepareProgram();
    postgres = await startPostgres();
    pair = await Pair.open({ dice: new Prng(7), databaseUrl: postgres.url, script: scriptOf() });
  }, 5 * MINUTES);
  afterAll(async () => {
    await pair?.dispose();
    await postgres?.dispose();
  });

  const ended = (runId: string) =>
    waitFor(`${runId} to complete`, async () => (await pair.api.getRun(runId)).status === "completed", {
      patienceMs: 2 * MINUTES,
      everyMs: 100,
    });

  it(
    "does nothing again of what it begins with, whether server or Bridge is killed",
    async () => {
      await pair.api.put("/tools/look", { name: "look", action: "read" });
      await pair.api.putWorkflow("turns", WORKFLOW);
      const source = (await pair.api.startRun("turns", "source")).id;
      await ended(source);
      const known = new Set([source]);
      for (const [index, victim] of (["server", "bridge"] as const).entries()) {
        const turn = { node: "agent", round: 2, edit: { callId: `${source}/agent/0/2/0`, result: { round: "none" } } };
        expect(await pair.api.tryPost(`/runs/${source}/branch`, { turn })).toBe(201);
        const runId = (await pair.api.listRuns()).find(({ id }) => !known.has(id))?.id ?? "";
        known.add(runId);
        await pause(150 * (index + 1));
        if (victim === "server") {
          await pair.killServer();
          await pair.startServer();
        } else {
          await pair.killBridge();
          await pair.startBridge();
        }
        await ended(runId);
        const calls = readTurnLedger(pair.ledger).filter((call) => call.run === runId);
        const models = new Set(calls.flatMap((call) => (call.kind === "model" ? [call.round] : [])));
        expect([...models]).toEqual([3, 4, 5]);
        const tools = new Set(calls.flatMap((call) => (call.kind === "tool" ? [call.callId] : [])));
        expect([...tools]).toEqual([`${runId}/agent/0/3/0`, `${runId}/agent/0/4/0`]);
        const log = await pair.api.readLog(runId);
        expect(log.find(({ type }) => type === "tool.completed")?.payload).toMatchObject({ carried: true });
        expect(
          log
            .filter(({ type }) => type === "node.started")
            .map(({ payload }) => (payload as { nodeId: string }).nodeId),
        ).not.toContain("before");
        // Three rounds of its own; what a kill made a model do twice was reported once.
        const paid = log.flatMap(({ type, payload }) => {
          const { costMicros = 0 } = payload as { costMicros?: number };
          return type === "cost.recorded" && costMicros > 0 ? [costMicros] : [];
        });
        expect(paid).toEqual([1_000, 1_000, 1_000]);
      }
    },
    10 * MINUTES,
  );
});
