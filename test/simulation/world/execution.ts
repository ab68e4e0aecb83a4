import { callIdOf, type CallbackResult, type Dispatch, type ToolCall } from "../../../src/core/engine/index.ts";
import type { JsonObject } from "../../../src/core/base/index.ts";
import type { AskedCall } from "../../../src/core/event/index.ts";
import type { SimRun } from "./run.ts";

/** An execution of an agent at the far side. */
export interface Execution {
  readonly run: SimRun;
  readonly dispatch: Dispatch;
  readonly resume: Resume;
  /** The last event of the log when it was sent. */
  readonly sentAfter: number;
  /** Names it by where it stands, and which life of its Bridge it is. */
  readonly place: string;
  /** It sees calls one by one, and waits for answers with its process alive. */
  readonly waits: boolean;
  /** It asks for tools as long as it can. */
  readonly isKeen: boolean;
  state: "running" | "ended" | "lost";
  /** What it has sent and no process has taken up yet is gone with it. */
  isCutOff: boolean;
  final: CallbackResult | null;
}

/** What a dispatch says of the turn so far: nothing else is known to an adapter that continues it. */
export interface Resume {
  readonly rounds: readonly (readonly AskedCall[])[];
  readonly calls: ReadonlyMap<string, ResumedCall>;
}

interface ResumedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly round: number;
  readonly ruling: Ruling;
  readonly hasResult: boolean;
}

export type Ruling = { readonly kind: "allow"; readonly args: JsonObject } | { readonly kind: "deny" | "hold" };

/** One call of a round as the adapter goes through it. */
export interface OpenCall {
  readonly callId: string;
  readonly round: number;
  readonly call: AskedCall;
  readonly ruling: Ruling | null;
  readonly hasResult: boolean;
}

/** Taken when the dispatch was committed: the state goes on changing. */
export function resumeOf({ turn }: Dispatch): Resume {
  const calls = new Map<string, ResumedCall>();
  for (const { id, tool, args, round, ruling, result } of turn?.calls.values() ?? []) {
    calls.set(id, { tool, args, round, ruling: rulingOf({ ruling, args }), hasResult: result !== null });
  }
  return { rounds: (turn?.rounds ?? []).map((round) => round.calls), calls };
}

/** As an adapter gets it: what a run makes it does not make either. */
export function rulingOf({ ruling: { kind }, args }: Pick<ToolCall, "ruling" | "args">): Ruling {
  if (kind === "allow") return { kind, args };
  return { kind: kind === "deny" ? kind : "hold" };
}

/** The calls of a round, with what the dispatch says of them. */
export function openCalls({ run, dispatch, resume, waits }: Execution, round: number): readonly OpenCall[] {
  const named = resume.rounds[round] ?? [];
  const open = named.map((call, position): OpenCall => {
    const callId = callIdOf(
      { runId: run.facts.runId },
      { id: dispatch.nodeId, epoch: dispatch.epoch },
      round,
      position,
    );
    const known = resume.calls.get(callId);
    return { callId, round, call, ruling: known?.ruling ?? null, hasResult: known?.hasResult ?? false };
  });
  if (!waits) return open;
  // Its session remembers what no round has named.
  return [...resume.calls].flatMap(([callId, known]): OpenCall[] => {
    if (known.round !== round) return [];
    const { tool, args, hasResult } = known;
    return [{ callId, round, call: { tool, args }, ruling: null, hasResult }];
  });
}

/** What every report of it says. */
export function executionOf({ dispatch: { nodeId, attempt, segment } }: Execution) {
  return { nodeId, attempt, segment };
}
