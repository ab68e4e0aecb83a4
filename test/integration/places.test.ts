import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digestText, required } from "../../src/core/base/index.ts";
import type { RunLimit } from "../../src/core/engine/index.ts";
import { isTerminal } from "../../src/core/event/index.ts";
import { launch } from "./support/governed.ts";
import { deafAdapter } from "./support/machine.ts";
import { openUngovernedReplicas, type UngovernedReplicas } from "./support/ungoverned-replicas.ts";

const source = (limit: number, whenFull: string) => `name: w
args: { who: ann }
concurrency: { key: who, limit: ${limit}, when_full: ${whenFull} }
steps:
  - { id: a, command: "\${who}" }
  - { id: b, command: "\${who}", depends_on: [a] }
`;

let opened: UngovernedReplicas;
/** Runs whose first node has begun and whose last has not ended, by key, and the most there were at a time. */
const open = new Map<string, Set<string>>();
const most = new Map<string, number>();

beforeAll(async () => {
  opened = await openUngovernedReplicas(
    deafAdapter(async ({ message: key, dispatchId }) => {
      const [runId = "", nodeId] = dispatchId.split("/");
      const running = open.get(key) ?? new Set<string>();
      open.set(key, running.add(runId));
      most.set(key, Math.max(most.get(key) ?? 0, running.size));
      await sleep(10);
      if (nodeId === "b") running.delete(runId);
      return { status: "completed", stdout: "done" };
    }),
  );
});
afterAll(() => opened.close());

function start(text: string, who: string, turn: number, limit?: RunLimit): Promise<string> {
  const replica = required(opened.replicas[turn % 2], "there are two");
  return launch(replica, opened.store, text, { args: { who }, ...(limit === undefined ? {} : { limit }) });
}

async function ended(runIds: readonly string[]): Promise<readonly string[]> {
  for (;;) {
    const heads = await opened.store.headsOf(runIds);
    if (heads.every(({ status }) => isTerminal(status))) return heads.map(({ status }) => status);
    await sleep(50);
  }
}

async function countPlaces(): Promise<number> {
  const [row] = await opened.sql.query<{ count: number }>({
    name: "",
    text: "select count(*)::int as count from run_places",
  });
  return row?.count ?? -1;
}

describe("two replicas on one Postgres", () => {
  it("never have more runs of a key open than its limit, and let all of them end", async () => {
    const keys = [1, 2, 3].map((limit) => ({ limit, who: `queue ${limit}` }));
    const starting = keys.flatMap(({ limit, who }) =>
      Array.from({ length: 12 }, (_, turn) => start(source(limit, "queue"), who, turn)),
    );
    const runIds = await Promise.all(starting);
    expect(new Set(await ended(runIds))).toEqual(new Set(["completed"]));
    for (const { limit, who } of keys) expect(most.get(who)).toBeLessThanOrEqual(limit);
    expect(await countPlaces()).toBe(0);
    expect(opened.troubles).toEqual([]);
  });

  it("keep the limit of a trigger as they keep that of a workflow", async () => {
    const text = source(1, "queue").replace(/^concurrency.*\n/mu, "");
    const limit: RunLimit = { key: digestText("by the trigger"), limit: 2, whenFull: "queue" };
    const runIds = await Promise.all(Array.from({ length: 12 }, (_, turn) => start(text, "by trigger", turn, limit)));
    expect(new Set(await ended(runIds))).toEqual(new Set(["completed"]));
    expect(most.get("by trigger")).toBe(2);
    const full = { ...limit, limit: 1, whenFull: "cancel_old" } as const;
    const oldest: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) oldest.push(await start(text, "by trigger", turn, full));
    const statuses = await ended(oldest);
    expect(statuses.filter((status) => status === "completed").length).toBeGreaterThan(0);
    expect((await ended(oldest.slice(-1)))[0]).toBe("completed");
    expect(await countPlaces()).toBe(0);
    expect(opened.troubles).toEqual([]);
  });

  it("cancel the new ones, or the old ones, and leave no place behind", async () => {
    const newest = await Promise.all(
      Array.from({ length: 8 }, (_, turn) => start(source(1, "cancel_new"), "cancel new", turn)),
    );
    const statuses = await ended(newest);
    expect(statuses.filter((status) => status === "completed").length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set(["completed", "cancelled"]));
    const oldest: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) oldest.push(await start(source(1, "cancel_old"), "cancel old", turn));
    const [last] = await ended(oldest.slice(-1));
    expect(last).toBe("completed");
    await ended(oldest);
    expect(await countPlaces()).toBe(0);
    expect(opened.troubles).toEqual([]);
  });
});
