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

/** A run of its own for each name: of a node that is tried ten times, a second each. */
async function startHopeless({ api }: Pair, name: string): Promise<RunOnWire> {
  return started(api, { ...HOPELESS, name, source: HOPELESS.source.replace("hopeless", name) });
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

/** Requests arrive, and no answer and no result comes back; then all of them do. */
async function neverReported(pair: Pair): Promise<void> {
  const [callsBefore, postsBefore] = [readLedger(pair.ledger).length, countOf(pair.toBridge.requests, DISPATCH)];
  pair.toBridge.weather = { kind: "mute" };
  pair.toServer.weather = { kind: "hole" };
  const run = await startHopeless(pair, "unheard");
  expect(await ended(pair.api, run)).toMatchObject({ status: "failed" });
  const calls = readLedger(pair.ledger).slice(callsBefore);
  expect(calls.length).toBeGreaterThan(1);
  expect(calls.length).toBeLessThanOrEqual(LIMITS.callsPerNodeMax);
  expect(repeatedIn(calls)).toEqual([]);
  const posts = countOf(pair.toBridge.requests, DISPATCH) - postsBefore;
  expect(posts).toBeLessThanOrEqual(LIMITS.callsPerNodeMax * POSTS_PER_SEND);
  const before = (await pair.api.readLog(run.id)).filter(({ type }) => type !== "cost.recorded");
  pair.toBridge.weather = { kind: "fair" };
  pair.toServer.weather = { kind: "fair" };
  const areTaken = (): boolean => {
    const kept = readOutbox(pair.outbox);
    return calls.every(({ dispatchId }) => kept.get(dispatchId)?.isSettled === true);
  };
  await waitFor("the late results to be taken", () => Promise.resolve(areTaken()));
  const after = (await pair.api.readLog(run.id)).filter(({ type }) => type !== "cost.recorded");
  expect(after).toEqual(before);
  expect(readLedger(pair.ledger).length).toBe(callsBefore + calls.length);
}

/** Not even requests arrive; then they do, when they are not needed any more. */
async function neverReached(pair: Pair): Promise<void> {
  const [callsBefore, postsBefore] = [readLedger(pair.ledger).length, countOf(pair.toBridge.requests, DISPATCH)];
  pair.toBridge.weather = { kind: "hole" };
  const run = await startHopeless(pair, "unreached");
  expect(await ended(pair.api, run)).toMatchObject({ status: "failed" });
  expect(readLedger(pair.ledger).length).toBe(callsBefore);
  const posts = countOf(pair.toBridge.requests, DISPATCH) - postsBefore;
  expect(posts).toBeGreaterThan(1);
  expect(posts).toBeLessThanOrEqual(LIMITS.callsPerNodeMax * POSTS_PER_SEND);
  pair.toBridge.weather = { kind: "fair" };
  expect(await ended(pair.api, await startHopeless(pair, "reached"))).toMatchObject({ status: "completed" });
  expect(await pair.api.getRun(run.id)).toMatchObject({ status: "failed" });
  const late = readLedger(pair.ledger).filter((call) => call.run === run.id);
  expect(late.length).toBeLessThanOrEqual(LIMITS.callsPerNodeMax);
  expect(repeatedIn(late)).toEqual([]);
}

/** No Bridge is there while the first tries fail; the node has not failed, so far. */
async function comesBack(pair: Pair): Promise<void> {
  await Load.saveSamples(pair.api);
  await pair.killBridge();
  const postsBefore = countOf(pair.toBridge.requests, DISPATCH);
  const run = await pair.api.startRun("diamond", "patient");
  const isTried = (): boolean => countOf(pair.toBridge.requests, DISPATCH) >= postsBefore + 3;
  await waitFor("the third try", () => Promise.resolve(isTried()));
  await pair.startBridge();
  expect(await ended(pair.api, run)).toMatchObject({ status: "completed" });
  expect(repeatedIn(readLedger(pair.ledger).filter((call) => call.run === run.id))).toEqual([]);
}

// These wait for one another's clocks more than they work, so they do it side by side.
describe.concurrent("when one side is gone", () => {
  beforeAll(() => prepareProgram(), 5 * MINUTES);
  afterAll(async () => {
    for (const pair of pairs) await pair.dispose();
  });

  it(
    "a Bridge that cannot be reached or whose answers are lost costs a bounded number of calls, and is used when it is back",
    async () => {
      const pair = await openPair(11);
      // The server knows a Bridge before the Bridge knows it; one run there and back shows that both do.
      expect(await ended(pair.api, await startHopeless(pair, "warm"))).toMatchObject({ status: "completed" });
      await neverReported(pair);
      await neverReached(pair);
      await comesBack(pair);
    },
    10 * MINUTES,
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
      // Whatever had ended came from the disk: no call was made again but those without an answer.
      expect(repeatedIn(readLedger(pair.ledger)).filter((id) => !id.includes("/stuck/"))).toEqual([]);
      for (const { id } of waiting) expect(readOutbox(pair.outbox).get(id)).toMatchObject({ isSettled: true });
    },
    10 * MINUTES,
  );

  it(
    "a Bridge that is asked to stop ends in order: what it can finish is finished, the rest is taken up again",
    async () => {
      const pair = await openPair(14, { isLedgerShared: true });
      const run = await started(pair.api, LENGTHY);
      await waitFor("three calls", () => Promise.resolve(readLedger(pair.ledger).length >= 3));
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
    10 * MINUTES,
  );
});
