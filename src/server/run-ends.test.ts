import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { RunEvent } from "../core/event/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { RunHead, RunRecord } from "../store/index.ts";
import { RunEnds } from "./run-ends.ts";

type Listener = Parameters<Runtime["onCommitted"]>[0];

const EVERY_MS = 250;
const COMPLETED = [{ type: "run.completed" }] as unknown as readonly RunEvent[];

const listeners = new Set<Listener>();
const ended = new Set<string>();
const troubles: string[] = [];
let reads = 0;
let questions = 0;
let isAway = false;
/** What happens while a run is read for the first time. */
let meanwhile = (): void => undefined;

const store = {
  getRun: async (_orgId: string, runId: string) => {
    reads += 1;
    const status = ended.has(runId) ? "completed" : "running";
    meanwhile();
    return { runId, status } as RunRecord;
  },
  headsOf: async (runIds: readonly string[]) => {
    questions += 1;
    if (isAway) throw new Error("the database is away");
    return runIds.map((runId) => ({ runId, status: ended.has(runId) ? "completed" : "running" }) as RunHead);
  },
};
const runtime = {
  onCommitted: (listener: Listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
const ends = new RunEnds({
  store,
  runtime,
  everyMs: EVERY_MS,
  onTrouble: (what) => void troubles.push(what),
});

function commitEnd(runId: string): void {
  ended.add(runId);
  for (const listener of listeners) listener(runId, COMPLETED, { orgId: "org_1" });
}

beforeEach(() => {
  vi.useFakeTimers();
  [reads, questions, isAway] = [0, 0, false];
  meanwhile = () => undefined;
  ended.clear();
  troubles.length = 0;
});
afterEach(() => {
  // Nothing is left behind by any of the waits.
  expect([listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
  vi.useRealTimers();
});

it("an end that is committed while the run is read is returned at once", async () => {
  meanwhile = () => {
    if (reads === 1) commitEnd("run_1");
  };
  // No timer is advanced, so a wait would never end.
  expect(await ends.wait("org_1", "run_1", 60_000)).toMatchObject({ status: "completed" });
  expect([reads, questions]).toEqual([2, 0]);
});

it("an end that this process commits is returned without a query for it", async () => {
  const waiting = ends.wait("org_1", "run_1", 60_000);
  await vi.advanceTimersByTimeAsync(EVERY_MS - 1);
  commitEnd("run_1");
  expect(await waiting).toMatchObject({ status: "completed" });
  expect([reads, questions]).toEqual([2, 0]);
});

it("ends that others commit are found by one query for all that wait, also after the database was away", async () => {
  const runIds = Array.from({ length: 100 }, (_, index) => `run_${index}`);
  const waiting = runIds.map((runId) => ends.wait("org_1", runId, 60_000));
  await vi.advanceTimersByTimeAsync(4 * EVERY_MS);
  expect([reads, questions]).toEqual([100, 4]);
  isAway = true;
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(troubles).toEqual(["ends of runs could not be looked for"]);
  isAway = false;
  for (const runId of runIds) ended.add(runId);
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect((await Promise.all(waiting)).map((run) => run?.runId)).toEqual(runIds);
  expect([reads, questions]).toEqual([200, 6]);
});

it("a run that is still open after the limit is not returned", async () => {
  const waiting = [ends.wait("org_1", "run_1", 100), ends.wait("org_1", "run_1", 60_000)];
  await vi.advanceTimersByTimeAsync(100);
  expect(await waiting[0]).toBeNull();
  commitEnd("run_1");
  expect(await waiting[1]).toMatchObject({ status: "completed" });
});
