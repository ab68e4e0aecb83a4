import { describe, expect, it } from "vitest";
import { durableTurns, stubAdapter } from "../../../test/gateway/stub-adapter.ts";
import { Machine } from "../../../test/integration/support/machine.ts";
import type { HandedSecret } from "../../adapter/index.ts";
import { StoreUnavailable } from "../../store/index.ts";
import type { HandSecrets } from "./driver-options.ts";

const ORG = "default";
const VALUE = "a-handed-value";
const TOKEN: HandedSecret = { name: "token", tool: null, value: VALUE };

/** A run of one node whose adapter answers with the secret it was handed. */
async function started(secrets: HandSecrets, onFailure = "fail") {
  const found: unknown[] = [];
  const adapter = stubAdapter({
    execute: async (_, hooks) => {
      const secret = hooks.secret?.("token", null);
      found.push(secret);
      return { status: "completed", stdout: `it is ${secret?.ok === true ? secret.value : "nothing"}` };
    },
  });
  const machine = new Machine(adapter, 1, { secrets, supersedesAll: true });
  const runId = await machine.start(`name: w\nsteps: [{ id: a, command: go, on_failure: ${onFailure} }]\n`);
  /** Its log, once it has ended. */
  const ended = async (): Promise<string> => {
    await machine.end(runId);
    return JSON.stringify(await machine.log(runId));
  };
  return { machine, runId, found, ended };
}

describe("secrets of a dispatch", () => {
  it("are asked for with where it goes, and reach the adapter but no event", async () => {
    const places: unknown[] = [];
    const { found, ended } = await started((place, request) => {
      places.push({ ...place, message: request().message });
      return () => Promise.resolve([TOKEN]);
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
    const { machine, found, ended } = await started(
      () => () => {
        calls += 1;
        return calls === 1 ? Promise.reject(new Error("no database")) : Promise.resolve([TOKEN]);
      },
      "retry_once",
    );
    const log = await ended();
    expect(log).toContain("its secrets could not be looked up");
    expect(log).toContain("run.completed");
    expect(found).toHaveLength(1);
    expect(machine.troubles).toHaveLength(1);
  });

  it("that cannot be looked up fail also an attempt that another replica continues", async () => {
    let sent = 0;
    const adapter = stubAdapter({
      execute: async (_, hooks) => {
        sent += 1;
        await hooks.round?.({ round: 0, finish: "tool_calls", message: {}, calls: [{ tool: "look", args: {} }] });
        return new Promise(() => undefined);
      },
      capabilities: durableTurns,
    });
    const machine = new Machine(adapter, 2, {
      secrets: () => (sent === 0 ? undefined : () => Promise.reject(new Error("no database"))),
    });
    const runId = await machine.start("name: w\nsteps: [{ id: a, command: go, on_failure: fail }]\n");
    await machine.pass(100);
    await machine.wait(machine.driver(0).stop());
    await machine.end(runId);
    expect(JSON.stringify(await machine.log(runId))).toContain("its secrets could not be looked up");
    expect(sent).toBe(1);
  });

  it("are asked for again while the database is away, and no attempt fails for that", async () => {
    let calls = 0;
    const { machine, found, ended } = await started(() => () => {
      calls += 1;
      return calls <= 3 ? Promise.reject(new StoreUnavailable("away")) : Promise.resolve([TOKEN]);
    });
    expect(await ended()).toContain("run.completed");
    expect(found).toEqual([{ ok: true, value: VALUE }]);
    expect(calls).toBe(4);
    expect(machine.troubles).toEqual([]);
  });

  it("that come after the run was cancelled begin nothing", async () => {
    let answer: (secrets: readonly HandedSecret[]) => void = () => undefined;
    const { machine, runId, found, ended } = await started(
      () => () => new Promise<readonly HandedSecret[]>((resolve) => (answer = resolve)),
    );
    await machine.wait(machine.driver(0).submit(ORG, runId, { type: "cancel", reason: "not wanted" }));
    answer([TOKEN]);
    expect(await ended()).toContain("run.cancelled");
    expect(found).toEqual([]);
  });
});
