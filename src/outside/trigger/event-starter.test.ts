import { expect, it } from "vitest";
import { LIMITS, required } from "../../core/base/index.ts";
import { createMemoryStore, type EventToDeliver } from "../../store/index.ts";
import { EventStarter } from "./event-starter.ts";
import type { StartResult, TriggerDelivering } from "./trigger-starter.ts";

const EVENT = {
  id: "evt_1",
  orgId: "org_1",
  type: "order.paid",
  key: {},
  data: {},
  keyDigest: "",
  hops: 0,
  configVersion: 3,
};
const eventOf = (orgId: string): EventToDeliver => ({ ...EVENT, orgId }) as unknown as EventToDeliver;

async function setUp(start: (name: string) => StartResult) {
  const store = createMemoryStore();
  for (const id of ["a", "b", "c"]) {
    await store.putEntry("org_1", "trigger", id, { workflow: "w", on: { event: { type: EVENT.type } } }, 1);
  }
  const started: string[] = [];
  const refused: string[] = [];
  const read: string[] = [];
  let isFailing = false;
  const starter = new EventStarter({
    store: {
      listEntries: async (...asked: Parameters<typeof store.listEntries>) => {
        read.push(asked[0]);
        if (isFailing) {
          isFailing = false;
          throw new Error("the store is away");
        }
        return store.listEntries(...asked);
      },
    },
    starter: {
      start: async ({ trigger }: TriggerDelivering) => {
        started.push(trigger.name);
        return start(trigger.name);
      },
      refuse: async (_org, { name }, _id, code) => void refused.push(`${name}: ${code}`),
    },
  });
  const failNext = (): void => {
    isFailing = true;
  };
  return { starter, started, refused, read, store, failNext };
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

it("an event of a run that ended its chain starts nothing, and the deliveries say so", async () => {
  const { starter, started, refused } = await setUp(known);
  await starter.start({ ...eventOf("org_1"), hops: LIMITS.eventChainRunsMax });
  expect(started).toEqual(["a", "b", "c"]);
  await starter.start({ ...eventOf("org_1"), hops: LIMITS.eventChainRunsMax + 1 });
  expect(started).toEqual(["a", "b", "c"]);
  expect(refused).toEqual(["a: event_loop", "b: event_loop", "c: event_loop"]);
});

it("triggers are read again for the first event after a change, and for no other event", async () => {
  const { starter, started, read, store } = await setUp(known);
  const send = async (id: string): Promise<void> => {
    const sent = { id, type: EVENT.type, key: {}, keyDigest: "", data: {}, keepMs: 1, hops: 0, sentBy: null };
    const [put] = await store.putEvents("org_1", [sent]);
    await starter.start(required(put, "it was put").event);
  };
  await Promise.all(["e1", "e2", "e3"].map((id) => send(id)));
  await send("e4");
  expect(read).toHaveLength(1);
  await store.putEntry("org_1", "trigger", "d", { workflow: "w", on: { event: { type: EVENT.type } } }, 1);
  await send("e5");
  await send("e6");
  expect(started.filter((name) => name === "d")).toHaveLength(2);
  await store.deleteEntry("org_1", "trigger", "d");
  await send("e7");
  expect(started.slice(-3)).toEqual(["a", "b", "c"]);
  expect(read).toHaveLength(3);
  // Another organisation has its own.
  await starter.start({ ...eventOf("org_2"), configVersion: 0 });
  expect(read.slice(3)).toEqual(["org_2"]);
});

it("a read that fails concerns only the events that waited for it", async () => {
  const { starter, started, failNext } = await setUp(known);
  failNext();
  const results = await Promise.allSettled([starter.start(eventOf("org_1")), starter.start(eventOf("org_1"))]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await starter.start(eventOf("org_1"));
  expect(started).toEqual(["a", "b", "c"]);
});
