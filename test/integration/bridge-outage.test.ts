import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/base/index.ts";
import { isTerminal } from "../../src/core/event/index.ts";
import { Prng } from "../simulation/prng.ts";
import type { Api, RunOnWire } from "./support/api.ts";
import { judgePair, POSTS_PER_SEND, readOutbox, repeatedIn } from "./support/bridge-judge.ts";
import { Pair, type PairPlan } from "./support/bridge-pair.ts";
import { readLedger } from "./support/ledger.ts";
import { Load } from "./support/load.ts";
import { prepareProgram } from "./support/server-process.ts";
import { waitFor } from "./support/waiting.ts";
import { HOPELESS, LENGTHY, type Sample } from "./support/workload.ts";

const MINUTES = 60_000;
const DISPATCH = /^POST \/api\/v2\/dispatch/;

const pairs: Pair[] = [];

async function openPair(seed: number, plan: Partial<PairPlan> = {}): Promise<Pair> {
  const pair = await Pair.open({ dice: new Prng(seed), databaseUrl: null, ...plan });
  pairs.push(pair);
  return pair;
}

/** The server knows a Bridge before the Bridge has heard so; one run there and back shows that both do. */
async function warmUp({ api, ledger }: Pair): Promise<number> {
  await api.putWorkflow("warm", HOPELESS.source.replace("hopeless", "warm"));
  expect(await ended(api, await api.startRun("warm", "warm"))).toMatchObject({ status: "completed" });
  return readLedger(ledger).length;
}

async function started(api: Api, { name, source }: Sample): Promise<RunOnWire> {
  await api.putWorkflow(name, source);
  return api.startRun(name, `only ${name}`);
}

async function ended(api: Api, { id }: RunOnWire): Promise<RunOnWire> {
  await waitFor("the run to end", async () => isTerminal((await api.getRun(id)).status));
  return api.getRun(id);
}

const countOf = (lines: readonly string[], pattern: RegExp): number =>
  lines.filter((line) => pattern.test(line)).length;

// These wait for one another's clocks more than they work, so they do it side by side.
describe.concurrent("when one side is gone", () => {
  beforeAll(() => prepareProgram(), 5 * MINUTES);
  afterAll(async () => {
    for (const pair of pairs) await pair.dispose();
  });

  it(
    "a Bridge that works and is never heard is called ten times at most, and its late results change nothing",
    async () => {
      const pair = await openPair(11);
      const warm = await warmUp(pair);
      pair.toBridge.weather = { kind: "mute" };
      pair.toServer.weather = { kind: "hole" };
      const run = await started(pair.api, HOPELESS);
      expect(await ended(pair.api, run)).toMatchObject({ status: "failed" });
      const calls = readLedger(pair.ledger).slice(warm);
      expect(calls.length).toBeGreaterThan(1);
      expect(calls.length).toBeLessThanOrEqual(LIMITS.callsPerNodeMax);
      expect(repeatedIn(calls)).toEqual([]);
      expect(countOf(pair.toBridge.requests, DISPATCH)).toBeLessThanOrEqual((warm + calls.length) * POSTS_PER_SEND);
      const before = (await pair.api.readLog(run.id)).filter(({ type }) => type !== "cost.recorded");
      pair.toBridge.weather = { kind: "fair" };
      pair.toServer.weather = { kind: "fair" };
      const areTaken = (): boolean => {
        const kept = [...readOutbox(pair.outbox).values()];
        return kept.length === warm + calls.length && kept.every(({ isSettled }) => isSettled);
      };
      await waitFor("the late results to be taken", () => Promise.resolve(areTaken()));
      const after = (await pair.api.readLog(run.id)).filter(({ type }) => type !== "cost.recorded");
      expect(after).toEqual(before);
      expect(readLedger(pair.ledger)).toHaveLength(warm + calls.length);
    },
    5 * MINUTES,
  );

  it(
    "a Bridge that is not reached at all fails the node, and works again when it is reached",
    async () => {
      const pair = await openPair(12);
      const warm = await warmUp(pair);
      pair.toBridge.weather = { kind: "hole" };
      const run = await started(pair.api, HOPELESS);
      expect(await ended(pair.api, run)).toMatchObject({ status: "failed" });
      expect(readLedger(pair.ledger)).toHaveLength(warm);
      const posts = countOf(pair.toBridge.requests, DISPATCH);
      expect(posts).toBeGreaterThan(1 + warm);
      expect(posts).toBeLessThanOrEqual((LIMITS.callsPerNodeMax + warm) * POSTS_PER_SEND);
      // What the network kept arrives now: each dispatch is executed once at most, and nothing of it counts.
      pair.toBridge.weather = { kind: "fair" };
      await pair.api.putWorkflow("again", HOPELESS.source.replace("hopeless", "again"));
      const again = await pair.api.startRun("again", "again");
      expect(await ended(pair.api, again)).toMatchObject({ status: "completed" });
      expect(await pair.api.getRun(run.id)).toMatchObject({ status: "failed" });
      const calls = readLedger(pair.ledger);
      expect(calls.length).toBeLessThanOrEqual(warm + LIMITS.callsPerNodeMax + 1);
      expect(repeatedIn(calls)).toEqual([]);
    },
    5 * MINUTES,
  );

  it(
    "a node waits for a Bridge that comes back after every try to reach it has failed",
    async () => {
      const pair = await openPair(15);
      await Load.saveSamples(pair.api);
      await pair.killBridge();
      const run = await pair.api.startRun("diamond", "patient");
      const isTriedOut = (): boolean => countOf(pair.toBridge.requests, DISPATCH) === POSTS_PER_SEND;
      await waitFor("the last try", () => Promise.resolve(isTriedOut()));
      await pair.startBridge();
      expect(await ended(pair.api, run)).toMatchObject({ status: "completed" });
      expect(repeatedIn(readLedger(pair.ledger))).toEqual([]);
    },
    5 * MINUTES,
  );

  it(
    "results wait on the Bridge's disk for a server that is away, also when the Bridge is killed meanwhile",
    async () => {
      const pair = await openPair(13);
      await Load.saveSamples(pair.api);
      const load = new Load(pair.api, new Prng(13));
      load.start(10);
      await waitFor("the Bridge to be busy", () => Promise.resolve(readLedger(pair.ledger).length > 30));
      await pair.killServer();
      const areEnded = (): boolean => {
        const kept = readOutbox(pair.outbox);
        return readLedger(pair.ledger).every(({ dispatchId, node }) => node === "stuck" || kept.has(dispatchId));
      };
      await waitFor("everything begun to be on disk", () => Promise.resolve(areEnded()));
      const waiting = [...readOutbox(pair.outbox).values()].filter(({ isSettled }) => !isSettled);
      expect(waiting.length).toBeGreaterThan(0);
      await pair.killBridge();
      await pair.startBridge();
      await pair.startServer();
      await load.settle();
      const verdict = await judgePair(pair, load);
      expect(verdict.violations).toEqual([]);
      expect(verdict.completed / verdict.runs).toBeGreaterThan(0.8);
      // Whatever had ended came from the disk: no call was made again but those nobody answered.
      expect(repeatedIn(readLedger(pair.ledger)).filter((id) => !id.includes("/stuck/"))).toEqual([]);
      for (const { id } of waiting) expect(readOutbox(pair.outbox).get(id)).toMatchObject({ isSettled: true });
    },
    5 * MINUTES,
  );

  it(
    "a Bridge that is told to stop ends in order: what it can finish is finished, the rest is taken up again",
    async () => {
      const pair = await openPair(14, { isLedgerShared: true });
      const run = await started(pair.api, LENGTHY);
      await waitFor("three calls", () => Promise.resolve(readLedger(pair.ledger).length === 3));
      expect(await pair.stopBridge()).toBe(0);
      const kept = readOutbox(pair.outbox);
      expect(kept.get(`${run.id}/soon/1`)).toMatchObject({ isSettled: true });
      expect(kept.get(`${run.id}/once/1`)).toMatchObject({ isSettled: true });
      expect(kept.has(`${run.id}/late/1`)).toBe(false);
      await pair.startBridge();
      expect(await ended(pair.api, run)).toMatchObject({ status: "completed" });
      const calls = readLedger(pair.ledger).map(({ dispatchId }) => dispatchId);
      expect(calls.toSorted()).toEqual(
        ["end/1", "late/1", "late/1", "once/1", "soon/1"].map((name) => `${run.id}/${name}`),
      );
    },
    5 * MINUTES,
  );
});
