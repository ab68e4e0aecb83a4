import { digestJson } from "../base/index.ts";
import type { AskedCall } from "../event/index.ts";
import { type AgentRound, callIdOf, type ToolCall } from "./agent-turn.ts";
import { emit, type Turn } from "./turn.ts";

/** A turn carried over from another run. The agent continues after its rounds, and no round or call in it is paid or made again. */
export interface CarriedTurn {
  readonly nodeId: string;
  readonly status: "turn";
  readonly rounds: readonly CarriedRound[];
}

export interface CarriedRound extends Omit<AgentRound, "calls"> {
  readonly calls: readonly CarriedCall[];
  /** The person who changed the text of the round. */
  readonly by?: string;
}

/** A call with its ruling and its result. */
export interface CarriedCall extends Pick<ToolCall, "action" | "effects"> {
  readonly asked: AskedCall;
  /** The args of the call, when a person had changed them. */
  readonly args?: ToolCall["args"];
  readonly outcome:
    | { readonly denied: string }
    | (NonNullable<ToolCall["result"]> & {
        /** The person who supplied the result. */
        readonly by?: string;
      });
}

/** Records the rounds as events of this run, with the call ids they have in it. */
export function carryTurn(turn: Turn, { nodeId, rounds }: CarriedTurn): void {
  const owner = { id: nodeId, epoch: turn.state.epoch };
  for (const [round, { calls, by, ...said }] of rounds.entries()) {
    emit(turn, "round.completed", {
      nodeId,
      segment: 0,
      round,
      ...said,
      costMicros: 0,
      calls: calls.map(({ asked }) => asked),
      carried: true,
      ...(by === undefined ? {} : { by }),
    });
    for (const [position, call] of calls.entries()) {
      carryCall(turn, { nodeId, callId: callIdOf(turn.state, owner, round, position), carried: true }, round, call);
    }
  }
}

type OnCall = { readonly nodeId: string; readonly callId: string; readonly carried: true };

function carryCall(turn: Turn, onCall: OnCall, round: number, call: CarriedCall): void {
  const { asked, args, action, effects, outcome } = call;
  const { tool, server } = asked;
  emit(turn, "tool.requested", {
    ...onCall,
    round,
    tool,
    ...(server === undefined ? {} : { server }),
    args: asked.args,
    argsDigest: digestJson(asked.args),
    action,
    effects,
  });
  if ("denied" in outcome) {
    emit(turn, "tool.decided", { ...onCall, disposition: "deny", verdictId: null, reason: outcome.denied });
    return;
  }
  const { value: result, isError, by } = outcome;
  emit(turn, "tool.decided", {
    ...onCall,
    disposition: "allow",
    verdictId: null,
    ...(args === undefined ? {} : { args }),
  });
  emit(turn, "tool.completed", {
    ...onCall,
    result,
    isError,
    durationMs: 0,
    ...(by === undefined ? {} : { by }),
  });
}
