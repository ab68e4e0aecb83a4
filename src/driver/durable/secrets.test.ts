import { describe, expect, it } from "vitest";
import { stubAdapter } from "../../../test/gateway/stub-adapter.ts";
import type { HandedSecret } from "../../adapter/index.ts";
import { createVirtualClock } from "../../clock/index.ts";
import { digestText } from "../../core/base/index.ts";
import { createAllowAllJudge } from "../../governance/index.ts";
import { createMemoryStore, StoreUnavailable } from "../../store/index.ts";
import type { HandSecrets } from "./driver-options.ts";
import { DurableDriver } from "./durable-driver.ts";

const ORG = "default";
const VALUE = "a-handed-value";
const TOKEN: HandedSecret = { name: "token", tool: null, value: VALUE };

/** A run of one node whose adapter answers with the secret it was handed. */
async function started(secrets: HandSecrets, onFailure = "fail") {
  const clock = createVirtualClock(1_000);
  const store = createMemoryStore({ now: () => clock.now() });
  const found: unknown[] = [];
  const troubles: string[] = [];
  const adapter = stubAdapter({
    execute: async (_, hooks) => {
      const secret = hooks.secret?.("token", null);
      found.push(secret);
      return { status: "completed", stdout: `it is ${secret?.ok === true ? secret.value : "nothing"}` };
    },
  });
  const driver = new DurableDriver({
    store,
    clock,
    adapters: [adapter],
    judge: createAllowAllJudge(new Set([adapter.provider]), adapter.provider),
    monotonic: () => clock.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: true,
    secrets,
    onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
  });
  await driver.start();
  const source = `name: w\nsteps: [{ id: a, command: go, on_failure: ${onFailure} }]\n`;
  const definitionHash = digestText(source);
  await store.putDefinition(ORG, definitionHash, { source, catalog: null });
  const about = { orgId: ORG, workflow: "w", version: 1, definitionHash, trigger: "test", startedBy: null };
  const wait = <T>(promise: Promise<T>): Promise<T> => clock.settle(promise);
  const outcome = await wait(driver.launch({ ...about, args: {} }));
  if (outcome.kind !== "started") throw new Error(`the launch was ${outcome.kind}`);
  const { runId } = outcome.run;
  const pass = (ms: number): Promise<void> => wait(new Promise((resolve) => void clock.after(ms, resolve)));
  /** Its log, once it has ended. */
  const ended = async (): Promise<string> => {
    for (let tries = 0; tries < 500; tries += 1) {
      const status = (await store.getRun(ORG, runId))?.status;
      if (status === "completed" || status === "failed" || status === "cancelled") break;
      await pass(50);
    }
    return JSON.stringify(await store.readEvents(ORG, runId, 0, 100));
  };
  return { driver, runId, found, troubles, ended, wait };
}

describe("secrets of a dispatch", () => {
  it("are asked for with where it goes, and reach the adapter but no event", async () => {
    const places: unknown[] = [];
    const { found, ended } = await started((place, request) => {
      places.push({ ...place, message: request().message });
      return Promise.resolve([TOKEN]);
    });
    const log = await ended();
    expect(places).toEqual([{ orgId: ORG, gatewayId: "local", provider: "test", workflow: "w", message: "go" }]);
    expect(found).toEqual([{ ok: true, value: VALUE }]);
    expect(log).toContain("it is [redacted:token]");
    expect(log).not.toContain(VALUE);
  });

  it("hold nothing up where there are none", async () => {
    const { found, ended } = await started(() => undefined);
    expect(await ended()).toContain("run.completed");
    expect(found).toEqual([undefined]);
  });

  it("that cannot be looked up fail the attempt before it begins, and the next one may succeed", async () => {
    let calls = 0;
    const { found, troubles, ended } = await started(() => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error("no database")) : Promise.resolve([TOKEN]);
    }, "retry_once");
    const log = await ended();
    expect(log).toContain("its secrets could not be looked up");
    expect(log).toContain("run.completed");
    expect(found).toHaveLength(1);
    expect(troubles).toHaveLength(1);
  });

  it("that come after the run was cancelled begin nothing", async () => {
    let answer: (secrets: readonly HandedSecret[]) => void = () => undefined;
    const { driver, runId, found, ended, wait } = await started(
      () => new Promise<readonly HandedSecret[]>((resolve) => (answer = resolve)),
    );
    await wait(driver.submit(ORG, runId, { type: "cancel", reason: "not wanted" }));
    answer([TOKEN]);
    expect(await ended()).toContain("run.cancelled");
    expect(found).toEqual([]);
  });
});
