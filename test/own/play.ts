import type { Adapter } from "../../src/adapter/index.ts";
import { createScriptedAdapter, readScript, type Script } from "../../src/adapters/index.ts";
import type { AnswerApproval } from "../../src/cli/approvals.ts";
import { OwnEngine, type CompiledWorkflow, type Settlement } from "../../src/cli/own-engine.ts";
import { createVirtualClock, type VirtualClock } from "../../src/clock/index.ts";
import { digestText, type JsonObject } from "../../src/core/base/index.ts";
import { checkArgs } from "../../src/core/definition/index.ts";
import type { RunEvent } from "../../src/core/event/index.ts";
import { compilePinned, NO_PINS, type Pins, type Plan } from "../../src/core/plan/index.ts";
import { createAllowAllJudge, type Judge } from "../../src/governance/index.ts";
import { createScriptAdapter } from "../../src/script/index.ts";

/** Workflows that may be started, by the name they are referred to. */
export type Children = Readonly<Record<string, string>>;

export function compiledWorkflowOf(
  source: string,
  children: Children = {},
  version: number | null = null,
): CompiledWorkflow {
  const others = Object.entries(children).map(([ref, text]) => ({ ref, text, hash: digestText(text) }));
  const workflows = Object.fromEntries(others.map(({ ref, hash }) => [ref, { version: version ?? 1, hash }]));
  const pins: Pins = { ...NO_PINS, workflows };
  const plan = compilePinned(source, pins);
  if (plan === null) throw new Error(`it does not compile:\n${source}`);
  const texts = new Map(others.map(({ hash, text }) => [hash, text]));
  return { source, hash: digestText(source), pins, texts, plan, version };
}

export interface World {
  readonly children?: Children;
  readonly version?: number;
  readonly script?: string | Script;
  readonly adapters?: readonly Adapter[];
  readonly judge?: Judge;
  readonly answer?: AnswerApproval;
  readonly shapePlan?: (plan: Plan) => Plan;
  readonly onEvents?: (runId: string, events: readonly RunEvent[]) => void;
}

/** One run of a workflow and those it starts, in time that passes by itself. */
export class Play {
  readonly clock: VirtualClock = createVirtualClock(Date.UTC(2026, 0, 1));
  readonly engine: OwnEngine;
  /** By run, the first one first. */
  readonly logs = new Map<string, RunEvent[]>();
  readonly leftOpen: string[] = [];
  readonly #workflow: CompiledWorkflow;
  #events = 0;

  constructor(source: string, world: World = {}) {
    const { adapters = [], children, version = null, script = "{}" } = world;
    this.#workflow = compiledWorkflowOf(source, children, version);
    const read = typeof script === "string" ? scriptOf(script) : script;
    this.engine = new OwnEngine({
      clock: this.clock,
      adapters: [
        createScriptedAdapter({ script: read, clock: this.clock }),
        createScriptAdapter({ clock: this.clock, isSynchronous: true }),
        ...adapters,
      ],
      judge: world.judge ?? createAllowAllJudge(new Set(adapters.map(({ provider }) => provider)), "scripted"),
      answer: world.answer ?? null,
      onLeftOpen: (_, why) => this.leftOpen.push(why),
      onEvents: (runId, events) => {
        this.#events += events.length;
        this.logs.set(runId, [...(this.logs.get(runId) ?? []), ...events]);
        world.onEvents?.(runId, events);
      },
      jitter: () => 0.5,
      runId: "run_1",
      ...(world.shapePlan === undefined ? {} : { shapePlan: world.shapePlan }),
    });
  }

  /** The log of the run that was asked for. */
  get log(): readonly RunEvent[] {
    return this.logs.get("run_1") ?? [];
  }

  /** Starts it and lets time pass until it has settled. */
  async settle(args: JsonObject = {}): Promise<Settlement> {
    const checked = checkArgs(this.#workflow.plan.args, args);
    if (!checked.ok) throw new Error(JSON.stringify(checked.failure));
    return this.pass(
      this.engine.start(this.#workflow, checked.value, { trigger: "test" }).then(() => this.engine.whenSettled()),
    );
  }

  stop(): Promise<void> {
    return this.pass(this.engine.stop());
  }

  /** Lets time pass until a promise settles. */
  pass<T>(promise: Promise<T>): Promise<T> {
    return this.clock.settle(promise, () => this.#untilIdle());
  }

  /** Time stands still while the driver works: that takes turns of the event loop, and none of the run's time. */
  async #untilIdle(): Promise<void> {
    for (let idle = 0, before = -1; idle < IDLE_TURNS;) {
      await new Promise((resolve) => setImmediate(resolve));
      idle = this.#events === before ? idle + 1 : 0;
      before = this.#events;
    }
  }
}

const IDLE_TURNS = 6;

/** The whole of it: to its end, or to where only a person could go on. */
export async function play(source: string, world: World = {}, args: JsonObject = {}) {
  const played = new Play(source, world);
  const settlement = await played.settle(args);
  await played.stop();
  return { ...settlement, play: played, log: played.log };
}

function scriptOf(text: string): Script {
  const { script, problems } = readScript(text);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return script;
}
