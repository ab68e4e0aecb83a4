import { describe, expect, it } from "vitest";
import { createScriptedAdapter, readScript } from "../../adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../../clock/index.ts";
import { digestText } from "../../core/base/index.ts";
import { createAllowAllJudge } from "../../governance/index.ts";
import { createMemoryStore, type Store } from "../../store/index.ts";
import { DurableDriver } from "./durable-driver.ts";

const ORG = "default";
const HOUR = 3_600_000;
const CHAIN = "name: w\nsteps:\n  - { id: a, command: go }\n  - { id: b, command: go, depends_on: [a] }\n";

/** A clock that can be set back while time itself passes on. */
function wall(time: VirtualClock) {
  let behindMs = 0;
  return {
    clock: { ...time, now: () => time.now() - behindMs },
    setBack: (ms: number) => {
      behindMs += ms;
    },
  };
}

function driverOn(store: Store, time: VirtualClock, clock: VirtualClock, script: string): DurableDriver {
  const read = readScript(script);
  return new DurableDriver({
    store,
    clock,
    adapters: [createScriptedAdapter({ script: read.script, clock })],
    judge: createAllowAllJudge(new Set(["scripted"]), "scripted"),
    monotonic: () => time.now(),
    isUnavailable: () => false,
    supersedesAll: true,
    onTrouble: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
}

async function passUntil(time: VirtualClock, isReached: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    if (await isReached()) return;
    let isDue = false;
    time.after(50, () => {
      isDue = true;
    });
    await time.run(() => isDue);
  }
  throw new Error("it never came to that");
}

async function setUp(script: string) {
  const time = createVirtualClock(10 * HOUR);
  const store = createMemoryStore({ now: () => time.now() });
  const { clock, setBack } = wall(time);
  const driver = driverOn(store, time, clock, script);
  await driver.start();
  const definitionHash = digestText(CHAIN);
  await store.putDefinition(ORG, definitionHash, { source: CHAIN, catalog: null });
  const about = { orgId: ORG, workflow: "w", version: 1, definitionHash, trigger: "test", startedBy: null };
  let runId = "";
  void driver.launch({ ...about, args: {} }).then((outcome) => {
    if (outcome.kind === "started") ({ runId } = outcome.run);
  });
  const events = () => store.readEvents(ORG, runId, 0, 1_000);
  const has = async (type: string, nodeId: string): Promise<boolean> =>
    runId !== "" &&
    (await events()).some(
      (event) => event.type === type && "nodeId" in event.payload && event.payload.nodeId === nodeId,
    );
  await passUntil(time, () => has("node.started", "a"));
  const isDone = async (): Promise<boolean> => (await store.getRun(ORG, runId))?.status === "completed";
  return { time, store, setBack, events, isDone };
}

describe("time within a run", () => {
  it("never goes back, although the clock is set back between two commits", async () => {
    const { time, setBack, events, isDone } = await setUp("default: echo\nnodes: { a: { delay_ms: 500 } }\n");
    setBack(HOUR);
    await passUntil(time, isDone);
    const at = (await events()).map((event) => event.at);
    expect(at).toEqual([...at].sort((left, right) => left - right));
    expect(at.every((each) => each >= 10 * HOUR)).toBe(true);
  });

  it("never goes back, although another process takes the run over whose clock is behind", async () => {
    const { time, store, events, isDone } = await setUp("default: echo\nnodes: { a: { hang: true } }\n");
    const behind = wall(time);
    behind.setBack(HOUR);
    await driverOn(store, time, behind.clock, "default: echo\n").start();
    await passUntil(time, isDone);
    const at = (await events()).map((event) => event.at);
    expect(at).toEqual([...at].sort((left, right) => left - right));
    expect(at.every((each) => each >= 10 * HOUR)).toBe(true);
  });
});
