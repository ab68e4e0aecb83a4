import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../postgres/database.ts";
import { Api } from "./support/api.ts";
import { countListeners, ExitProxy } from "./support/exit-proxy.ts";
import { KEY, openGround } from "./support/kills.ts";
import { prepareProgram, type ServerProcess, startServer } from "./support/server-process.ts";
import { waitFor } from "./support/waiting.ts";
import { WorkerCrew } from "./support/worker-crew.ts";
import { HANDS, surviveWorkerKills } from "./support/worker-kills.ts";

const MINUTES = 60_000;
/** What the server is called behind a proxy. */
const INSIDE = "sluice.internal";

const until = (isSo: () => Promise<boolean> | boolean): Promise<void> => waitFor("it", async () => isSo());

function source(name: string, step: object): string {
  return JSON.stringify({ name, args: { n: { type: "integer", default: 1 } }, steps: [{ id: "it", ...step }] });
}

describe("workers of a server", () => {
  const ground = openGround();
  const crew = new WorkerCrew({ key: KEY, ledger: join(ground.settings.data, "acts.jsonl") });
  let server: ServerProcess;
  let api: Api;

  beforeAll(async () => {
    prepareProgram();
    server = await startServer({
      ...ground.settings,
      command: "up",
      databaseUrl: null,
      env: { SLUICE_ALLOW_HOST: INSIDE },
    });
    api = new Api(KEY, () => [server.url]);
    await api.put("/agents/hands", HANDS);
  }, 5 * MINUTES);
  afterAll(async () => {
    await crew.dispose();
    await server.kill();
    ground.dispose();
  });

  const run = async (name: string, step: object): Promise<string> => {
    await api.putWorkflow(name, source(name, step));
    return (await api.startRun(name, `workers-${name}`)).id;
  };
  const nodeOf = async (runId: string) => (await api.getState(runId)).nodeResults.find(({ nodeId }) => nodeId === "it");

  it("are waited for as long as queue_timeout allows", async () => {
    const runId = await run("unserved", { function: "no-worker-has-this", queue_timeout: 1 });
    expect((await api.waitUntilEnded(runId)).status).toBe("failed");
    expect(await nodeOf(runId)).toMatchObject({ status: "failed", errorCode: "no_worker" });
  });

  it("get what waited for them when they come, and return outputs", async () => {
    const runId = await run("count", { function: "count", inputs: { n: "${n}" } });
    await until(async () => (await nodeOf(runId))?.waitingReason === "worker");
    await crew.start(server.url);
    expect((await api.waitUntilEnded(runId)).status).toBe("completed");
    expect((await nodeOf(runId))?.outputs).toMatchObject({ n: 1 });
  });

  it("fail with class and message, again and again while that may help", async () => {
    const retry = { attempts: 3, backoff_ms: 10 };
    const again = await run("again", { function: "fail", inputs: { isFinal: false }, retry });
    const final = await run("final", {
      function: "fail",
      inputs: { isFinal: true },
      on_failure: "retry",
    });
    expect((await api.waitUntilEnded(final)).status).toBe("failed");
    expect(await nodeOf(final)).toMatchObject({
      errorCode: "function_error",
      errorMessage: "NonRetryable: never again",
      attempts: 1,
    });
    await api.waitUntilEnded(again);
    expect(await nodeOf(again)).toMatchObject({ errorMessage: "RangeError: not this time", attempts: 3 });
  });

  it("are notified by the signal of a function when its run is cancelled", async () => {
    const runId = await run("cancelled", { function: "count", inputs: { n: 7, delayMs: 600_000 } });
    await until(() => crew.acts().some(({ n }) => n === 7));
    await api.tryPost(`/runs/${runId}/cancel`, {});
    await until(() => crew.acts().some(({ name, n }) => name === "aborted" && n === 7));
    expect((await api.waitUntilEnded(runId)).status).toBe("cancelled");
  });

  it("end what they have begun when they are stopped, and the rest is done by others", async () => {
    const [old] = crew.workers;
    const runId = await run("drained", { function: "charge", inputs: { n: 8, delayMs: 1_500 }, agent: "hands" });
    await until(() => crew.acts().some(({ n }) => n === 8));
    expect(old === undefined ? null : await crew.stop(old)).toBe(0);
    expect((await api.waitUntilEnded(runId)).status).toBe("completed");
    expect(crew.acts().filter(({ n }) => n === 8)).toHaveLength(1);
  });

  it("work behind a proxy that lets connections only out, and listen nowhere", async () => {
    for (const worker of crew.workers) await crew.stop(worker);
    const proxy = await ExitProxy.open({ [`${INSIDE}:80`]: Number(new URL(server.url).port) });
    // The name means nothing to the worker: whatever it does not send through the proxy goes nowhere.
    const worker = await crew.start(`http://${INSIDE}`, { HTTP_PROXY: proxy.url, NO_PROXY: "" });
    const runId = await run("proxied", { function: "count", inputs: { n: 10 } });
    expect((await api.waitUntilEnded(runId)).status).toBe("completed");
    expect(new Set(proxy.asked)).toEqual(new Set([`${INSIDE}:80`]));
    expect(countListeners(worker.pid ?? 0)).toBe(0);
    expect(await crew.stop(worker)).toBe(0);
    proxy.close();
  });

  it("that die leave at_most_once work unknown, and it is never done again", async () => {
    const worker = await crew.start(server.url);
    const runId = await run("once", { function: "charge", inputs: { n: 9, delayMs: 600_000 }, agent: "hands" });
    await until(() => crew.acts().some(({ n }) => n === 9));
    await crew.kill(worker);
    await crew.start(server.url);
    expect((await api.waitUntilEnded(runId)).status).toBe("failed");
    expect(await nodeOf(runId)).toMatchObject({ errorCode: "outcome_unknown", attempts: 1 });
    expect(crew.acts().filter(({ n }) => n === 9)).toHaveLength(1);
  });
});

describe("workers that are killed", () => {
  beforeAll(() => prepareProgram(), 5 * MINUTES);

  it(
    "leave nothing undone, and do nothing twice that may be done once",
    async () => {
      const verdict = await surviveWorkerKills({ seed: 1, kills: 4, functions: 400, databaseUrl: null });
      expect(verdict.violations).toEqual([]);
      expect(verdict.completed + verdict.unknown).toBe(400);
    },
    15 * MINUTES,
  );

  it(
    "do the same for two replicas on Postgres",
    async () => {
      const database = await createDatabase("empty");
      const plan = { seed: 2, kills: 3, functions: 400, databaseUrl: database.url };
      const verdict = await surviveWorkerKills(plan);
      expect(verdict.violations).toEqual([]);
      expect(verdict.completed + verdict.unknown).toBe(400);
      await database.drop();
    },
    15 * MINUTES,
  );
});
