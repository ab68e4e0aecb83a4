import { ADAPTER_SPECIFICATION, type Adapter, type AdapterHooks } from "../../adapter/index.ts";
import type { Clock } from "../../clock/index.ts";
import { answerByScript, findEntry, type Script, type ScriptEntry } from "../../core/script/index.ts";
import type { Ledger } from "./ledger.ts";
import { CANCELLED, playTurn } from "./scripted-turn.ts";
import { pause, untilAborted } from "./scripted-wait.ts";

export const SCRIPTED_PROVIDER = "scripted";

export interface ScriptedAdapterOptions {
  readonly script: Script;
  readonly clock: Clock;
  readonly ledger?: Ledger;
  /** Returns the nodes whose runs contain a run, as in `each[2]/block/`. Absent when they are not known. */
  readonly pathOf?: (runId: string) => string;
}

/** Answers from a script instead of a model: without keys or cost, and with the same answer every time. */
export function createScriptedAdapter({ script, clock, ledger, pathOf = () => "" }: ScriptedAdapterOptions): Adapter {
  return {
    specificationVersion: ADAPTER_SPECIFICATION,
    provider: SCRIPTED_PROVIDER,
    initialize: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
    checkHealth: () => Promise.resolve({ status: "healthy" }),
    capabilities: () => ({ streaming: true, structuredOutput: true, tools: true, deferred: false, turns: "durable" }),
    cancel: () => Promise.resolve(),
    async execute(request, hooks) {
      const { runId, stepId: nodeId, attempt, context } = request;
      const entry = findEntry(script, { workflow: context.workflow, nodeId, path: pathOf(runId) }, attempt) ?? {};
      const { rounds } = entry;
      if (rounds === undefined) ledger?.(request, clock.now());
      const isWanted = await simulate(entry, clock, hooks);
      if (!isWanted) return CANCELLED;
      if (rounds === undefined) return answerByScript(script, entry, request);
      return playTurn({ script, entry, rounds, request, hooks, clock, ledger });
    },
  };
}

/** Waits and streams as the script entry defines. False when the request was aborted during that time. */
async function simulate(entry: ScriptEntry, clock: Clock, hooks: AdapterHooks): Promise<boolean> {
  if (!(await pause(clock, entry.delay_ms ?? 0, hooks.signal))) return false;
  for (const text of entry.chunks ?? []) {
    if (!(await pause(clock, entry.chunk_ms ?? 0, hooks.signal))) return false;
    hooks.onPartial({ text });
  }
  if (entry.hang === true) await untilAborted(hooks.signal);
  return !hooks.signal.aborted;
}
