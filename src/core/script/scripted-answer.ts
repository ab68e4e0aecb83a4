import type { FailureClass, JsonObject } from "../base/index.ts";
import { chance, makeOutputs } from "./auto-output.ts";
import type { Script, ScriptEntry } from "./script.ts";
import type { ScriptRound } from "./script-round.ts";

/** The parts of a request on which an answer depends. */
export interface ScriptedRequest {
  readonly stepId: string;
  readonly attempt: number;
  readonly message: string;
  readonly outputSchema?: JsonObject | undefined;
  readonly context: { readonly workflow: string };
}

export interface Bill {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly thinkingTokens?: number;
  readonly cachedTokens?: number;
  readonly costUsd?: number;
  readonly duplicates?: number;
}

export type ScriptedAnswer =
  | ({ readonly status: "completed"; readonly stdout: string; readonly outputs?: JsonObject } & Bill)
  | ({
      readonly status: "failed";
      readonly failure: FailureClass;
      readonly message: string;
      readonly retryAfterMs?: number;
    } & Bill);

/** Returns the answer of a script entry to a request. The caller is responsible for the delay. */
export function answerByScript(script: Script, entry: ScriptEntry, request: ScriptedRequest): ScriptedAnswer {
  return { ...answerOf(script, entry, request), ...scriptedBill(entry) };
}

function answerOf(script: Script, entry: ScriptEntry, request: ScriptedRequest): ScriptedAnswer {
  if (entry.fail !== undefined) {
    return {
      status: "failed",
      failure: entry.fail,
      message: entry.message ?? `The script makes this attempt fail with ${entry.fail}.`,
      ...(entry.retry_after_ms === undefined ? {} : { retryAfterMs: entry.retry_after_ms }),
    };
  }
  if (entry.rounds !== undefined) return { status: "completed", ...turnAnswer(script, entry.rounds, request) };
  if (entry.raw !== undefined) return { status: "completed", stdout: entry.raw };
  const stdout = entry.stdout ?? entry.chunks?.join("");
  if (entry.outputs !== undefined) return { status: "completed", ...jsonAnswer(entry.outputs, stdout) };
  if (stdout !== undefined) return { status: "completed", stdout };
  return { status: "completed", ...defaultAnswer(script, request) };
}

/** Returns the answer of a turn in which every call is allowed, for callers that do not run turns. */
function turnAnswer(
  script: Script,
  rounds: readonly ScriptRound[],
  request: ScriptedRequest,
): { stdout: string; outputs?: JsonObject } {
  const last = rounds.find(({ calls = [] }) => calls.length === 0);
  return last?.text === undefined ? defaultAnswer(script, request) : { stdout: last.text };
}

function defaultAnswer(script: Script, request: ScriptedRequest): { stdout: string; outputs?: JsonObject } {
  if (script.default === "echo") return { stdout: request.message };
  const seed = `${script.seed}/${request.context.workflow}/${request.stepId}/${request.attempt}`;
  if (request.outputSchema !== undefined) return jsonAnswer(makeOutputs(request.outputSchema, seed));
  const about = request.message.split("\n", 1)[0]?.slice(0, 120) ?? "";
  const mark = chance(seed).toString(16).padStart(8, "0");
  return { stdout: `Scripted answer ${mark} of ${request.stepId}${about === "" ? "." : `: ${about}`}` };
}

/** A model that answers in JSON returns that JSON as text, so that `stdout` and `json` of the node can be read as usual. */
function jsonAnswer(outputs: JsonObject, stdout?: string): { stdout: string; outputs: JsonObject } {
  return { stdout: stdout ?? JSON.stringify(outputs), outputs };
}

export function scriptedBill(entry: Pick<ScriptEntry, "tokens" | "cost_usd" | "duplicate_callback">): Bill {
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
