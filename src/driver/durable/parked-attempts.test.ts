import { describe, expect, it } from "vitest";
import { durableTurns, stubAdapter } from "../../../test/gateway/stub-adapter.ts";
import { Machine } from "../../../test/integration/support/machine.ts";
import type { Adapter, AdapterRequest, AdapterResult, HandedSecret } from "../../adapter/index.ts";
import { createAllowAllJudge } from "../../governance/index.ts";
import type { DurableDriverOptions, HandSecrets } from "./driver-options.ts";

const ORG = "default";
/** `agent` is at work while `first` ends, which makes `second` ready. */
const SOURCE = `name: w
steps:
  - { id: before, command: go }
  - { id: agent, command: go, depends_on: [before] }
  - { id: first, command: go }
  - { id: second, command: go, depends_on: [first] }
`;

/** Replicas with a bug: the node `second` cannot be decided. */
class BuggyMachine {
  readonly machine: Machine;
  readonly started: string[] = [];
  readonly aborted: string[] = [];
  /** Ends a step other than `agent`, by its id. */
  readonly end = new Map<string, () => void>();

  constructor(replicas: number, options: Partial<DurableDriverOptions> = {}) {
    const adapter = stubAdapter({
      execute: (request, hooks) => this.#execute(request, hooks),
      capabilities: durableTurns,
    });
    const judge = createAllowAllJudge(new Set([adapter.provider]), adapter.provider);
    const decide: typeof judge.decide = (request, about) => {
      if (request.nodeId === "second") throw new TypeError("a bug");
      return judge.decide(request, about);
    };
    this.machine = new Machine(adapter, replicas, {
      judge: { ...judge, decide },
      ...options,
    });
  }

  async start(): Promise<string> {
    const runId = await this.machine.start(SOURCE);
    await this.machine.pass(100);
    return runId;
  }

  async finish(stepId: string): Promise<void> {
    this.end.get(stepId)?.();
    await this.machine.pass(100);
  }

  async park(runId: string): Promise<void> {
    await this.finish("first");
    const run = await this.machine.store.getRun(ORG, runId);
    expect(run?.errorCode).toBe("engine_bug");
  }

  async #execute(
    { dispatchId, stepId }: AdapterRequest,
    hooks: Parameters<Adapter["execute"]>[1],
  ): Promise<AdapterResult> {
    this.started.push(dispatchId);
    if (stepId !== "agent") {
      await new Promise<void>((resolve) => this.end.set(stepId, resolve));
      return { status: "completed", stdout: "done" };
    }
    if (!dispatchId.includes("#")) {
      const calls = [{ tool: "look", args: {} }];
      await hooks.round?.({ round: 0, finish: "tool_calls", message: {}, calls });
    }
    return new Promise(() => hooks.signal.addEventListener("abort", () => this.aborted.push(dispatchId)));
  }
}

describe("what a replica has of a run that is parked", () => {
  it("is aborted, in whichever segment of its attempt", async () => {
    const buggy = new BuggyMachine(2);
    const { machine, started, aborted } = buggy;
    const runId = await buggy.start();
    await buggy.finish("before");
    // The other replica continues the turn in a new segment.
    await machine.wait(machine.driver(0).stop());
    await machine.pass(10_000);
    expect(started).toContain(`${runId}/agent/1#1`);
    await buggy.park(runId);
    expect(aborted).toContain(`${runId}/agent/1#1`);
    expect(machine.driver(1).figures().openDispatches).toBe(0);
  });

  it("is not started any more while it waits for its secrets", async () => {
    let answer: (secrets: readonly HandedSecret[]) => void = () => undefined;
    const secrets: HandSecrets = (_place, request) =>
      request().stepId === "agent"
        ? () => new Promise<readonly HandedSecret[]>((resolve) => (answer = resolve))
        : undefined;
    const buggy = new BuggyMachine(1, { secrets });
    const runId = await buggy.start();
    await buggy.finish("before");
    await buggy.park(runId);
    answer([]);
    await buggy.machine.pass(100);
    expect(buggy.started.toSorted()).toEqual([`${runId}/before/1`, `${runId}/first/1`]);
  });

  it("is not started any more when it was held back for want of a lease", async () => {
    let asleepMs = 0;
    const buggy: BuggyMachine = new BuggyMachine(1, { monotonic: () => buggy.machine.clock.now() + asleepMs });
    const { store } = buggy.machine;
    const runId = await buggy.start();
    const renewReplica = store.renewReplica.bind(store);
    Object.assign(store, { renewReplica: () => Promise.reject(new Error("out of reach")) });
    asleepMs = 20_000;
    await buggy.finish("before");
    await buggy.park(runId);
    Object.assign(store, { renewReplica });
    await buggy.machine.pass(10_000);
    expect(buggy.started.toSorted()).toEqual([`${runId}/before/1`, `${runId}/first/1`]);
  });
});
