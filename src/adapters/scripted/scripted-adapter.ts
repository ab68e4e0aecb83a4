import type { JsonObject } from "../../core/base/index.ts";
import {
  ADAPTER_SPECIFICATION,
  type Adapter,
  type AdapterHooks,
  type AdapterRequest,
  type AdapterResult,
} from "../../adapter/index.ts";
import type { Clock } from "../../clock/index.ts";
import { chance, makeOutputs } from "./auto-output.ts";
import type { Ledger } from "./ledger.ts";
import { findEntry, type Script, type ScriptEntry } from "./script.ts";

export const SCRIPTED_PROVIDER = "scripted";

export interface ScriptedAdapterOptions {
  readonly script: Script;
  readonly clock: Clock;
  readonly ledger?: Ledger;
}

/** Answers from a script instead of a model: no keys, no cost, the same answer every time. */
export function createScriptedAdapter({ script, clock, ledger }: ScriptedAdapterOptions): Adapter {
  return {
    specificationVersion: ADAPTER_SPECIFICATION,
    provider: SCRIPTED_PROVIDER,
    initialize: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
    checkHealth: () => Promise.resolve({ status: "healthy" }),
    capabilities: () => ({ streaming: true, structuredOutput: true, tools: false, deferred: false }),
    cancel: () => Promise.resolve(),
    async execute(request, hooks) {
      ledger?.(request, clock.now());
      const entry = findEntry(script, request.context.workflow, request.stepId, request.attempt) ?? {};
      const isWanted = await rehearse(entry, clock, hooks);
      if (!isWanted) return { status: "failed", failure: "cancelled", message: "The request was cancelled." };
      return { ...answerOf(entry, request, script), ...billOf(entry) };
    },
  };
}

/** Waits and streams as the entry says; false when the request was aborted meanwhile. */
async function rehearse(entry: ScriptEntry, clock: Clock, hooks: AdapterHooks): Promise<boolean> {
  if (!(await pause(clock, entry.delay_ms ?? 0, hooks.signal))) return false;
  for (const text of entry.chunks ?? []) {
    if (!(await pause(clock, entry.chunk_ms ?? 0, hooks.signal))) return false;
    hooks.onPartial({ text });
  }
  if (entry.hang === true) await untilAborted(hooks.signal);
  return !hooks.signal.aborted;
}

function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  if (delayMs === 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const onAbort = (): void => {
      stop();
      resolve(false);
    };
    const stop = clock.after(delayMs, () => {
      signal.removeEventListener("abort", onAbort);
      resolve(true);
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function answerOf(entry: ScriptEntry, request: AdapterRequest, script: Script): AdapterResult {
  if (entry.fail !== undefined) {
    return {
      status: "failed",
      failure: entry.fail,
      message: entry.message ?? `The script makes this attempt fail with ${entry.fail}.`,
      ...(entry.retry_after_ms === undefined ? {} : { retryAfterMs: entry.retry_after_ms }),
    };
  }
  if (entry.raw !== undefined) return { status: "completed", stdout: entry.raw };
  const stdout = entry.stdout ?? entry.chunks?.join("");
  if (entry.outputs !== undefined) return { status: "completed", ...spoken(entry.outputs, stdout) };
  if (stdout !== undefined) return { status: "completed", stdout };
  return { status: "completed", ...defaultAnswer(request, script) };
}

function defaultAnswer(request: AdapterRequest, script: Script): { stdout: string; outputs?: JsonObject } {
  if (script.default === "echo") return { stdout: request.message };
  const seed = `${script.seed}/${request.context.workflow}/${request.stepId}/${request.attempt}`;
  if (request.outputSchema !== undefined) return spoken(makeOutputs(request.outputSchema, seed));
  const about = request.message.split("\n", 1)[0]?.slice(0, 120) ?? "";
  const mark = chance(seed).toString(16).padStart(8, "0");
  return { stdout: `Scripted answer ${mark} of ${request.stepId}${about === "" ? "." : `: ${about}`}` };
}

/** A model that answers in JSON says that JSON, so that `stdout` and `json` of the node can be read as usual. */
function spoken(outputs: JsonObject, stdout?: string): { stdout: string; outputs: JsonObject } {
  return { stdout: stdout ?? JSON.stringify(outputs), outputs };
}

type Bill = Pick<
  Extract<AdapterResult, { status: "completed" }>,
  "inputTokens" | "outputTokens" | "thinkingTokens" | "cachedTokens" | "costUsd" | "duplicates"
>;

function billOf(entry: ScriptEntry): Bill {
  return {
    ...(entry.tokens === undefined
      ? {}
      : {
          inputTokens: entry.tokens.input ?? 0,
          outputTokens: entry.tokens.output ?? 0,
          thinkingTokens: entry.tokens.thinking ?? 0,
          cachedTokens: entry.tokens.cached ?? 0,
        }),
    ...(entry.cost_usd === undefined ? {} : { costUsd: entry.cost_usd }),
    ...(entry.duplicate_callback === undefined ? {} : { duplicates: entry.duplicate_callback }),
  };
}
