import { beforeEach, describe, expect, it } from "vitest";
import { createVirtualClock } from "../../clock/index.ts";
import { auditEntry } from "../../core/audit/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import { createMemoryStore, type Store } from "../../store/index.ts";
import { HandClock } from "../../../test/schedule/hand-clock.ts";
import { StoreLauncher } from "../../../test/schedule/store-launcher.ts";
import { Roster } from "./roster.ts";
import { Scheduler } from "./scheduler.ts";

const ORG = "org_1";
const START = Date.UTC(2026, 5, 1, 12, 0, 0, 0);
const SECOND = 1_000;

let clock: HandClock;
let store: Store;
let launcher: StoreLauncher;
let troubles: string[];

beforeEach(() => {
  clock = new HandClock(START);
  store = createMemoryStore({ now: () => clock.time });
  launcher = new StoreLauncher(store, "a");
  troubles = [];
});

function scheduler(replicaId = "a", own = launcher, from: Store = store): Scheduler {
  const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
  return new Scheduler({ store: from, launcher: own, clock, replicaId, onTrouble });
}

async function put(spec: JsonObject, id = "often"): Promise<void> {
  const body = { workflow: "report", every_seconds: 10, ...spec };
  await store.putEntry(ORG, "schedule", id, body, clock.time);
}

/** Lets time pass, with a look every second. */
async function pass(seconds: number, ...schedulers: readonly Scheduler[]): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.time += SECOND;
    await Promise.all(schedulers.map((one) => one.tick()));
  }
}

async function slots(id = "often"): Promise<string[]> {
  const { data } = await store.listSlots(ORG, id, { limit: 100, cursor: null });
  return data.toReversed().map(({ slotAt, state }) => `+${(slotAt - START) / SECOND} ${state}`);
}

async function reasons(id = "often"): Promise<(string | null)[]> {
  const { data } = await store.listSlots(ORG, id, { limit: 100, cursor: null });
  return data.toReversed().map(({ reason }) => reason);
}

async function endAll(): Promise<void> {
  const { data } = await store.listRuns(ORG, { status: "running" }, { limit: 100, cursor: null });
  for (const { runId } of data) await launcher.end(ORG, runId);
}

/** The same as a trigger. */
async function putTrigger(spec: JsonObject, id = "often"): Promise<void> {
  const body = { workflow: "report", on: { schedule: { every_seconds: 10, overlap: "allow" } }, ...spec };
  const about = { type: "config.applied", actor: "key_ann", resource: `trigger/${id}`, detail: {} } as const;
  const audit = [auditEntry({ at: clock.time, ...about })];
  await store.applyEntries(ORG, [{ change: "put", kind: "trigger", id, body }], clock.time, audit);
}

it("an organisation that lives in another database from now on has nothing due here, until it is back", async () => {
  await put({});
  const own = { ...store };
  const roster = new Roster({ store: own, onTrouble: (what) => void troubles.push(what) });
  await roster.refresh(clock.time);
  clock.time += 10 * SECOND;
  expect(roster.due(clock.time)).toHaveLength(1);
  own.configVersions = () => Promise.resolve(new Map());
  await roster.refresh(clock.time);
  expect([roster.due(clock.time), roster.nextAt()]).toEqual([[], null]);
  own.configVersions = () => store.configVersions();
  await roster.refresh(clock.time);
  expect(roster.due(clock.time)).toHaveLength(1);
  expect(troubles).toEqual([]);
});

describe("a trigger of the kind schedule", () => {
  it("starts a run for every slot on behalf of who saved it, beside a schedule of the same name", async () => {
    clock.time += 1;
    await put({ every_seconds: 20, overlap: "allow" });
    await putTrigger({ args: { topic: "tides", at: "${body.slot_at}" } });
    const [one, two] = [scheduler("a"), scheduler("b", new StoreLauncher(store, "b"))];
    await pass(25, one, two);
    expect(await slots("trigger/often")).toEqual(["+10 started", "+20 started"]);
    expect(await slots("often")).toEqual(["+20 started"]);
    const { data } = await store.listRuns(ORG, {}, { limit: 100, cursor: null });
    expect(data).toHaveLength(3);
    const { data: deliveries } = await store.listTriggerDeliveries(ORG, "trigger/often", { limit: 10, cursor: null });
    expect(deliveries.map(({ deliveryId, state }) => `${deliveryId} ${state}`)).toEqual([
      "2026-06-01T12:00:20.000Z started",
      "2026-06-01T12:00:10.000Z started",
    ]);
    expect(troubles).toEqual([]);
  });

  it("says who it is and who saved it", async () => {
    clock.time += 1;
    await putTrigger({ args: { at: "${body.slot_at}" } });
    await pass(11, scheduler());
    expect(launcher.requests[0]).toMatchObject({
      workflow: "report",
      args: { at: "2026-06-01T12:00:10.000Z" },
      trigger: "schedule",
      startedBy: "trigger:often",
      requestedBy: "key_ann",
      idempotency: { keyId: "trigger:often", key: "2026-06-01T12:00:10.000Z" },
    });
  });

  it("starts nothing for a slot its filter does not want, nor while it is disabled", async () => {
    clock.time += 1;
    await putTrigger({ filter: "body.slot_at == '2026-06-01T12:00:20.000Z'" });
    await putTrigger({ enabled: false }, "never");
    await putTrigger({ on: { form: {} } }, "form");
    const own = scheduler();
    await pass(25, own);
    expect(await slots("trigger/often")).toEqual(["+10 skipped", "+20 started"]);
    expect(await reasons("trigger/often")).toEqual(["the filter did not hold", null]);
    expect(launcher.requests).toHaveLength(1);
  });
});

describe("a scheduler", () => {
  it("starts a run for every slot, on behalf of the schedule and under a key of its own", async () => {
    clock.time += 1;
    await put({ args: { topic: "tides" }, overlap: "allow" });
    await pass(25, scheduler());
    expect(await slots()).toEqual(["+10 started", "+20 started"]);
    expect(launcher.requests[0]).toEqual({
      orgId: ORG,
      workflow: "report",
      args: { topic: "tides" },
      trigger: "schedule",
      startedBy: "schedule:often",
      idempotency: {
        orgId: ORG,
        keyId: "schedule:often",
        workflow: "report",
        key: "2026-06-01T12:00:10.000Z",
        bodyHash: expect.stringMatching(/^sha256:/),
      },
    });
    expect(troubles).toEqual([]);
  });

  it("looks at a new schedule from the moment it was made, though it notices later", async () => {
    const own = scheduler();
    await own.tick();
    clock.time = START + 9_999;
    await put({});
    clock.time = START + 10_500;
    await own.tick();
    expect(await slots()).toEqual(["+10 started"]);
  });

  it("looks at a schedule it finds unattended from now on", async () => {
    await put({ missed: "backfill" });
    clock.time += 61 * SECOND;
    await pass(10, scheduler());
    expect(await slots()).toEqual(["+70 started"]);
  });

  it("starts nothing for a schedule that is disabled, nor for the time it was", async () => {
    const own = scheduler();
    await put({ overlap: "allow", missed: "backfill" });
    await pass(11, own);
    await put({ overlap: "allow", missed: "backfill", enabled: false });
    await pass(20, own);
    await put({ overlap: "allow", missed: "backfill" });
    await pass(10, own);
    expect(await slots()).toEqual(["+0 started", "+10 started", "+40 started"]);
  });

  it("follows changes, and does not start what was started before them", async () => {
    const own = scheduler();
    await put({ overlap: "allow" });
    await pass(10, own);
    await put({ overlap: "allow", every_seconds: 5 });
    await pass(10, own);
    expect(await slots()).toEqual(["+0 started", "+10 started", "+15 started", "+20 started"]);
    await store.deleteEntry(ORG, "schedule", "often");
    await pass(10, own);
    expect(await slots()).toHaveLength(4);
  });

  it("continues as before when something else is changed", async () => {
    const own = scheduler();
    clock.time += 1;
    await put({ overlap: "allow" });
    await pass(5, own);
    await put({ every_seconds: 4, overlap: "allow" }, "other");
    await pass(16, own);
    expect(await slots()).toEqual(["+10 started", "+20 started"]);
    expect(await slots("other")).toEqual(["+8 started", "+12 started", "+16 started", "+20 started"]);
  });

  it("asks one thing of the database while nothing is due", async () => {
    await put({ every_seconds: 3_600 });
    const asked: string[] = [];
    const watched = new Proxy(store, {
      get(target, name, receiver) {
        asked.push(String(name));
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    const own = scheduler("a", launcher, watched);
    clock.time += 1;
    await own.tick();
    asked.length = 0;
    await pass(14, own);
    expect(asked).toEqual(Array.from({ length: 14 }, () => "configVersions"));
  });

  it("keeps the last 1,000 slots", async () => {
    const own = scheduler();
    await put({ every_seconds: 1, overlap: "allow" });
    await pass(1_002, own);
    const { data } = await store.listSlots(ORG, "often", { limit: 1_100, cursor: null });
    expect(data.map(({ slotAt }) => (slotAt - START) / SECOND).at(-1)).toBe(3);
    expect(data).toHaveLength(1_000);
  });

  it("starts nothing for an entry it cannot read, and continues with the others", async () => {
    await put({ every_seconds: null, cron: "nonsense" }, "broken");
    await put({ every_seconds: null, cron: "* * * * *", timezone: "Nowhere/Land" }, "nowhere");
    await put({});
    await pass(10, scheduler());
    expect(troubles).toHaveLength(2);
    expect(troubles[0]).toContain("the schedule broken of org_1 cannot be read and starts nothing");
    expect(await slots()).toEqual(["+0 started", "+10 skipped"]);
  });
});

describe("overlap", () => {
  it("skip: a slot is skipped while the run before it is open", async () => {
    const own = scheduler();
    clock.time += 1;
    await put({});
    await pass(20, own);
    await endAll();
    await pass(10, own);
    expect(await slots()).toEqual(["+10 started", "+20 skipped", "+30 started"]);
    expect((await reasons())[1]).toMatch(/^the run before it was still open: run_a_1$/);
  });

  it("queue: one slot waits until the run before it has ended, further ones are skipped", async () => {
    const own = scheduler();
    clock.time += 1;
    await put({ overlap: "queue" });
    await pass(35, own);
    expect(await slots()).toEqual(["+10 started", "+20 queued", "+30 skipped"]);
    await endAll();
    await pass(1, own);
    expect(await slots()).toEqual(["+10 started", "+20 started", "+30 skipped"]);
    expect(launcher.requests[1]?.idempotency?.key).toBe("2026-06-01T12:00:20.000Z");
  });

  it("queue: what waits is skipped once its schedule is gone", async () => {
    const own = scheduler();
    clock.time += 1;
    await put({ overlap: "queue" });
    await pass(20, own);
    await store.deleteEntry(ORG, "schedule", "often");
    await endAll();
    await pass(15, own);
    expect(await slots()).toEqual(["+10 started", "+20 skipped"]);
    expect((await reasons())[1]).toContain("disabled or deleted");
  });
});

describe("slots that passed while no scheduler was running", () => {
  async function absent(missed: string, seconds: number, more: JsonObject = {}): Promise<Scheduler> {
    clock.time += 1;
    await put({ missed, overlap: "allow", ...more });
    await scheduler().tick();
    clock.time += seconds * SECOND;
    const back = scheduler("b");
    await back.tick();
    return back;
  }

  it("are skipped", async () => {
    await absent("skip", 36);
    expect(await slots()).toEqual(["+10 skipped", "+20 skipped", "+30 skipped"]);
    expect(launcher.requests).toEqual([]);
  });

  it("are made up for by one run", async () => {
    await absent("run_once", 36);
    expect(await slots()).toEqual(["+10 skipped", "+20 skipped", "+30 started"]);
  });

  it.each([99, 100, 101])("are all made up for, at most 100 of %i", async (count) => {
    await absent("backfill", 10 * count + 6);
    const { data } = await store.listSlots(ORG, "often", { limit: 200, cursor: null });
    expect(data.filter(({ state }) => state === "started")).toHaveLength(Math.min(count, 100));
    expect(data[0]?.slotAt).toBe(START + 10 * count * SECOND);
  });

  it("are made up for one after the other where runs may not overlap", async () => {
    const own = await absent("backfill", 36, { overlap: "skip" });
    expect(await slots()).toEqual(["+10 started", "+20 queued", "+30 queued"]);
    await endAll();
    await pass(1, own);
    expect(await slots()).toEqual(["+10 started", "+20 started", "+30 queued"]);
    await endAll();
    await pass(1, own);
    expect(launcher.requests.map(({ idempotency }) => idempotency?.key.slice(17, 19))).toEqual(["10", "20", "30"]);
  });

  it.each([
    [5_000, "started"],
    [5_001, "skipped"],
  ])("are on time up to five seconds later: %i ms", async (late, state) => {
    clock.time += 1;
    await put({});
    await scheduler().tick();
    clock.time = START + 10 * SECOND + late;
    await scheduler("b").tick();
    expect(await slots()).toEqual([`+10 ${state}`]);
  });

  it.each([
    [10, "started"],
    [11, "skipped"],
  ])("are missed by a scheduler that could not look for more than ten seconds: %i", async (seconds, state) => {
    clock.time += 1;
    await put({ every_seconds: 60 });
    const own = scheduler();
    clock.time = START + 55 * SECOND;
    await own.tick();
    clock.time += seconds * SECOND;
    await own.tick();
    expect(await slots()).toEqual([`+60 ${state}`]);
  });
});

describe("what goes wrong", () => {
  it("is recorded when a launch is refused, and not tried again", async () => {
    launcher.refusal = { code: "platform_closed", message: "The platform is closed: outage." };
    clock.time += 1;
    await put({});
    await pass(40, scheduler());
    expect(await slots()).toEqual(["+10 refused", "+20 refused", "+30 refused", "+40 refused"]);
    expect((await reasons())[0]).toBe("platform_closed: The platform is closed: outage.");
    expect(launcher.requests).toHaveLength(4);
  });

  it("is recorded as a database can keep it, whatever a refusal contains", async () => {
    launcher.refusal = { code: "invalid_args", message: `\0${"x".repeat(5_000)}` };
    clock.time += 1;
    await put({});
    await pass(10, scheduler());
    expect((await reasons())[0]).toBe(`invalid_args: ${"x".repeat(2_000 - 14)}`);
  });

  it.each(["before", "after"] as const)(
    "a scheduler that dies %s the run is started leaves it to another",
    async (when) => {
      const own = scheduler();
      clock.time += 1;
      await put({ every_seconds: 3_600 });
      await own.tick();
      clock.time = START + 3_600 * SECOND;
      launcher[when] = () => {
        throw new Error("killed");
      };
      await own.tick();
      expect(await slots()).toEqual(["+3600 claimed"]);
      const heir = new StoreLauncher(store, "b");
      const other = scheduler("b", heir);
      await pass(14, other);
      expect(heir.requests).toEqual([]);
      await pass(2, other);
      expect(await slots()).toEqual(["+3600 started"]);
      const { data } = await store.listRuns(ORG, {}, { limit: 10, cursor: null });
      expect(data.map(({ runId }) => runId)).toEqual([when === "before" ? "run_b_1" : "run_a_1"]);
    },
  );

  it("a slot whose schedule was changed after its owner died starts nothing, unless it had been", async () => {
    for (const when of ["before", "after"] as const) {
      const id = `dies-${when}`;
      const own = new StoreLauncher(store, id);
      own[when] = () => {
        throw new Error("killed");
      };
      clock.time = START + 1;
      await put({ every_seconds: 3_600 }, id);
      const dying = scheduler(id, own);
      await dying.tick();
      clock.time = START + 3_600 * SECOND;
      await dying.tick();
      await put({ every_seconds: 3_600, workflow: "other" }, id);
    }
    clock.time += 16 * SECOND;
    await scheduler("b").tick();
    expect(await slots("dies-before")).toEqual(["+3600 skipped"]);
    expect(await slots("dies-after")).toEqual(["+3600 started"]);
    expect(launcher.requests).toEqual([]);
  });

  it("a claim whose outcome is unknown starts nothing", async () => {
    launcher.before = () => {
      throw new Error("killed");
    };
    clock.time += 1;
    await put({ every_seconds: 3_600 });
    const own = scheduler();
    await own.tick();
    clock.time = START + 3_600 * SECOND;
    await own.tick();
    clock.time += 23 * 3_600 * SECOND + 1;
    await scheduler("b").tick();
    expect((await slots())[0]).toBe("+3600 skipped");
    expect((await reasons())[0]).toContain("it is unknown");
  });

  it("in one schedule does not keep the others from being on time", async () => {
    clock.time += 1;
    await put({ every_seconds: 1, workflow: "broken" }, "broken");
    await put({ overlap: "allow" });
    launcher.before = ({ workflow }) => {
      if (workflow === "broken") throw new Error("no");
    };
    await pass(30, scheduler());
    expect(await slots()).toEqual(["+10 started", "+20 started", "+30 started"]);
    expect(troubles.length).toBeGreaterThan(0);
  });

  it("with the database is reported, and made up for when it is back", async () => {
    clock.time += 1;
    await put({});
    let isDown = false;
    const flaky: Store = {
      ...store,
      configVersions: () => (isDown ? Promise.reject(new Error("down")) : store.configVersions()),
    };
    const own = scheduler("a", launcher, flaky);
    await pass(8, own);
    isDown = true;
    await pass(5, own);
    expect(troubles).toHaveLength(5);
    isDown = false;
    await pass(1, own);
    expect(await slots()).toEqual(["+10 started"]);
  });
});

describe("by the clock", () => {
  it("a scheduler wakes at its slots, and is still once it was stopped", async () => {
    const virtual = createVirtualClock(START + 400);
    store = createMemoryStore({ now: () => virtual.now() });
    launcher = new StoreLauncher(store, "a");
    await store.putEntry(
      ORG,
      "schedule",
      "often",
      { workflow: "report", every_seconds: 2, overlap: "allow" },
      START + 400,
    );
    const startedAt: number[] = [];
    launcher.before = () => void startedAt.push(virtual.now() - START);
    const own = new Scheduler({ store, launcher, clock: virtual, replicaId: "a", onTrouble: () => undefined });
    own.start();
    await virtual.run(() => startedAt.length === 3);
    expect(startedAt).toEqual([2_000, 4_000, 6_000]);
    await own.stop();
    expect(await virtual.run(() => startedAt.length > 3)).toBe(false);
  });
});
