import { describe, expect, it } from "vitest";
import { createScriptedAdapter, readScript } from "../../adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../../clock/index.ts";
import { digestText, type JsonObject } from "../../core/base/index.ts";
import { createAllowAllJudge } from "../../governance/index.ts";
import { createMemoryStore, type RunRecord, type Store, StoreUnavailable } from "../../store/index.ts";
import { DurableDriver } from "./durable-driver.ts";
import type { Launch } from "./runtime.ts";

const ORG = "default";
const TERMINAL = new Set(["completed", "failed", "cancelled", "timed_out"]);
const source = (concurrency: string) => `name: w
args: { who: ann, stage: one }
concurrency: ${concurrency}
steps:
  - { id: a, command: "go \${who} \${stage}" }
`;
const SLOW = "nodes:\n  a: { delay_ms: 10000 }\n";

class Scene {
  readonly clock: VirtualClock = createVirtualClock(1_000_000);
  readonly store: Store = createMemoryStore({ now: () => this.clock.now() });
  readonly troubles: string[] = [];
  readonly calls: string[] = [];
  readonly driver: DurableDriver;

  constructor(script = SLOW) {
    const read = readScript(script).script;
    if (read === null) throw new Error("the script is wrong");
    this.driver = new DurableDriver({
      store: this.store,
      clock: this.clock,
      adapters: [
        createScriptedAdapter({
          script: read,
          clock: this.clock,
          ledger: ({ dispatchId }) => this.calls.push(dispatchId),
        }),
      ],
      judge: createAllowAllJudge(new Set(["scripted"]), "scripted"),
      monotonic: () => this.clock.now(),
      isUnavailable: (error) => error instanceof StoreUnavailable,
      supersedesAll: true,
      onTrouble: (what, error) => this.troubles.push(`${what}: ${String(error)}`),
    });
  }

  wait<T>(promise: Promise<T>): Promise<T> {
    return this.clock.settle(promise);
  }

  async pass(ms: number): Promise<void> {
    let isDue = false;
    this.clock.after(ms, () => {
      isDue = true;
    });
    await this.clock.run(() => isDue);
  }

  async start(
    text: string,
    args: JsonObject = { who: "ann", stage: "one" },
    more: Partial<Launch> = {},
  ): Promise<RunRecord> {
    const definitionHash = digestText(text);
    await this.store.putDefinition(ORG, definitionHash, { source: text, catalog: null });
    const about = { orgId: ORG, workflow: "w", version: 1, definitionHash, trigger: "test", startedBy: null };
    const outcome = await this.wait(this.driver.launch({ ...about, args, ...more }));
    if (outcome.kind !== "started") throw new Error(`the launch was ${outcome.kind}`);
    return outcome.run;
  }

  async run(runId: string): Promise<RunRecord> {
    const run = await this.store.getRun(ORG, runId);
    if (run === undefined) throw new Error(`${runId} is gone`);
    return run;
  }

  async statuses(...runs: readonly RunRecord[]): Promise<readonly string[]> {
    return Promise.all(runs.map(async ({ runId }) => (await this.run(runId)).status));
  }

  async untilEnded(...runs: readonly RunRecord[]): Promise<readonly string[]> {
    for (let tries = 0; tries < 2_000; tries += 1) {
      const now = await this.statuses(...runs);
      if (now.every((status) => TERMINAL.has(status))) return now;
      await this.pass(100);
    }
    return this.statuses(...runs);
  }
}

describe("runs that count together", () => {
  it("wait for a place in the order they came, and begin when one is free", async () => {
    const scene = new Scene();
    await scene.driver.start();
    const text = source("{ key: who }");
    const first = await scene.start(text);
    const second = await scene.start(text);
    await scene.pass(5);
    const third = await scene.start(text);
    const other = await scene.start(text, { who: "bob", stage: "one" });
    expect(await scene.statuses(first, second, third, other)).toEqual(["running", "queued", "queued", "running"]);
    expect((await scene.run(second.runId)).waitingFor).toBe("gate");
    expect(await scene.untilEnded(first, second, third, other)).toEqual(Array.from({ length: 4 }, () => "completed"));
    const ends = await Promise.all(
      [first, second, third].map(async ({ runId }) => (await scene.run(runId)).endedAt ?? 0),
    );
    expect(ends).toEqual(ends.toSorted((left, right) => left - right));
    expect(scene.calls.map((call) => call.split("/")[0])).toEqual(
      [first, other, second, third].map(({ runId }) => runId),
    );
    expect(scene.troubles).toEqual([]);
    await scene.wait(scene.driver.stop());
  });

  it("say what they wait for, and hold no node up that has begun", async () => {
    const scene = new Scene();
    await scene.driver.start();
    const text = source("{ key: \"'all'\" }");
    await scene.start(text);
    const waiting = await scene.start(text);
    const view = await scene.driver.stateOf(ORG, waiting.runId);
    expect(view?.state.nodes.map(({ now }) => now)).toEqual([
      { status: "awaiting_dependency", waitingReason: "concurrency" },
    ]);
    await scene.wait(scene.driver.stop());
  });

  it("are as many as the limit says", async () => {
    const scene = new Scene();
    await scene.driver.start();
    const text = source("{ key: 'deploy-${stage}', limit: 2 }");
    const runs = [await scene.start(text), await scene.start(text), await scene.start(text)];
    expect(await scene.statuses(...runs)).toEqual(["running", "running", "queued"]);
    expect(await scene.untilEnded(...runs)).toEqual(["completed", "completed", "completed"]);
    await scene.wait(scene.driver.stop());
  });

  it("end at once where the new one is cancelled", async () => {
    const scene = new Scene();
    await scene.driver.start();
    const text = source("{ key: who, when_full: cancel_new }");
    const first = await scene.start(text);
    const second = await scene.start(text);
    expect(second.status).toBe("cancelled");
    const events = await scene.store.readEvents(ORG, second.runId, 0, 100);
    expect(events.find(({ type }) => type === "run.cancelled")?.payload).toMatchObject({ reason: "concurrency_full" });
    // It has no place, and is opened again only when it gets one.
    const reopen = { type: "rewind", eventId: 1, isConsumed: false } as const;
    const refused = await scene.wait(scene.driver.submit(ORG, second.runId, reopen));
    expect(refused).toMatchObject({ refusal: { code: "concurrency_full" } });
    expect(await scene.untilEnded(first)).toEqual(["completed"]);
    await scene.wait(scene.driver.submit(ORG, second.runId, reopen));
    expect((await scene.start(text)).status).toBe("cancelled");
    expect(await scene.untilEnded(second)).toEqual(["completed"]);
    expect((await scene.start(text)).status).toBe("running");
    await scene.wait(scene.driver.stop());
  });

  it("make room for the newest where the old one is cancelled", async () => {
    const scene = new Scene();
    await scene.driver.start();
    const text = source("{ key: who, when_full: cancel_old }");
    const first = await scene.start(text);
    await scene.pass(5);
    const second = await scene.start(text);
    await scene.pass(5);
    const third = await scene.start(text);
    await scene.pass(3_000);
    expect(await scene.statuses(first, second, third)).toEqual(["cancelled", "cancelled", "running"]);
    expect(await scene.untilEnded(third)).toEqual(["completed"]);
    await scene.wait(scene.driver.stop());
  });

  it("give their place back however they end, also while they wait", async () => {
    const scene = new Scene();
    await scene.driver.start();
    const text = source("{ key: who }");
    const runs = [await scene.start(text), await scene.start(text), await scene.start(text)] as const;
    for (const { runId } of runs.slice(0, 2)) {
      await scene.wait(scene.driver.submit(ORG, runId, { type: "cancel", reason: "enough" }));
    }
    await scene.pass(3_000);
    expect(await scene.statuses(...runs)).toEqual(["cancelled", "cancelled", "running"]);
    expect(await scene.store.placesOf(ORG, await keyOf(scene, runs[2]), 10)).toMatchObject([{ slot: 0 }]);
    await scene.wait(scene.driver.stop());
  });

  it("have a place with an ancestor that has one", async () => {
    const scene = new Scene();
    await scene.driver.start();
    const text = source("{ key: who }");
    const parent = await scene.start(text);
    const child = await scene.start(text, undefined, { heldKeys: [await keyOf(scene, parent)] });
    expect(child.status).toBe("running");
    expect(await scene.untilEnded(parent, child)).toEqual(["completed", "completed"]);
    await scene.wait(scene.driver.stop());
  });

  it("need a place again to be opened again", async () => {
    const scene = new Scene("nodes:\n  a: { delay_ms: 10000, fail: provider_auth }\n");
    await scene.driver.start();
    const text = source("{ key: who }");
    const first = await scene.start(text);
    expect(await scene.untilEnded(first)).toEqual(["failed"]);
    const second = await scene.start(text);
    const recover = { type: "recover", reason: "again" } as const;
    const refused = await scene.wait(scene.driver.submit(ORG, first.runId, recover));
    expect(refused?.refusal?.code).toBe("concurrency_full");
    await scene.untilEnded(second);
    await scene.wait(scene.driver.submit(ORG, first.runId, recover));
    expect(await scene.statuses(first)).toEqual(["running"]);
    expect((await scene.start(text)).status).toBe("queued");
    await scene.wait(scene.driver.stop());
  });

  it("fail where the key has no value", async () => {
    const scene = new Scene();
    await scene.driver.start();
    const run = await scene.start(source("{ key: who.name }"));
    expect(run.status).toBe("failed");
    await scene.wait(scene.driver.stop());
  });
});

async function keyOf(scene: Scene, { runId }: RunRecord): Promise<string> {
  return (await scene.driver.stateOf(ORG, runId))?.state.place?.key ?? "";
}
