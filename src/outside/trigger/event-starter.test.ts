import { expect, it } from "vitest";
import { createMemoryStore, type KeptEventRecord } from "../../store/index.ts";
import { EventStarter } from "./event-starter.ts";
import type { StartResult, TriggerDelivering } from "./trigger-starter.ts";

const EVENT = { id: "evt_1", orgId: "org_1", type: "order.paid", key: {}, data: {}, keyDigest: "", hops: 0 };
const eventOf = (orgId: string): KeptEventRecord => ({ ...EVENT, orgId }) as unknown as KeptEventRecord;

async function setUp(start: (name: string) => StartResult) {
  const store = createMemoryStore();
  for (const id of ["a", "b", "c"]) {
    await store.putEntry("org_1", "trigger", id, { workflow: "w", on: { event: { type: EVENT.type } } }, 1);
  }
  const started: string[] = [];
  const read: string[] = [];
  const clock = { now: 0 };
  const starter = new EventStarter({
    store: {
      listEntries: (...asked: Parameters<typeof store.listEntries>) => {
        read.push(asked[0]);
        return store.listEntries(...asked);
      },
    },
    starter: {
      start: async ({ trigger }: TriggerDelivering) => {
        started.push(trigger.name);
        return start(trigger.name);
      },
    },
    now: () => clock.now,
  });
  return { starter, started, read, clock };
}

const known = (): StartResult => ({ kind: "known", runId: "run_1" });

it("a trigger that takes no more in this minute, or fails, delays no other trigger of the event", async () => {
  const limited = await setUp((name) => (name === "a" ? { kind: "limited", max: 1 } : known()));
  await expect(limited.starter.start(eventOf("org_1"))).rejects.toThrow("the trigger a takes no more events");
  expect(limited.started).toEqual(["a", "b", "c"]);
  const failing = await setUp((name) => {
    if (name === "b") throw new Error("away");
    return known();
  });
  await expect(failing.starter.start(eventOf("org_1"))).rejects.toThrow("away");
  expect(failing.started).toEqual(["a", "b", "c"]);
});

it("the triggers of an organisation are read at most once a second", async () => {
  const { starter, started, read, clock } = await setUp(known);
  const startIn = async (...orgIds: readonly string[]): Promise<void> => {
    for (const orgId of orgIds) await starter.start(eventOf(orgId));
  };
  await startIn("org_1", "org_2", "org_1", "org_2");
  expect(read).toEqual(["org_1", "org_2"]);
  clock.now = 1_000;
  await startIn("org_2", "org_1", "org_2", "org_1");
  expect(read.slice(2)).toEqual(["org_2", "org_1"]);
  expect(started).toEqual(["a", "b", "c", "a", "b", "c", "a", "b", "c", "a", "b", "c"]);
});
