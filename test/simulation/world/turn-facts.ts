import type { JsonObject } from "../../../src/core/base/index.ts";
import type { AskedCall, EffectGuarantee, RunEvent } from "../../../src/core/event/index.ts";
import type { NodeFacts } from "./facts.ts";

/** The turn of an agent, as its log has it. */
export interface TurnFacts {
  readonly rounds: { readonly calls: readonly AskedCall[]; readonly eventId: number }[];
  readonly calls: Map<string, CallFacts>;
}

export interface CallFacts {
  readonly id: string;
  readonly round: number;
  readonly tool: string;
  readonly effects: EffectGuarantee;
  /** As it may be made: as the model asked, or as a person has changed them. */
  args: JsonObject;
  ruling: "allow" | "deny" | "hold" | null;
  /** The event with which its result was recorded; 0: it has none. */
  completedWith: number;
}

export function foldTurn(node: NodeFacts, event: RunEvent): void {
  switch (event.type) {
    case "node.started":
      node.segment = event.payload.segment ?? 0;
      if (node.segment === 0) node.ranMs = 0;
      node.startedAt = event.at;
      return;
    case "node.blocked":
    case "node.queued":
      if (event.payload.segment !== undefined) node.ranMs += event.at - node.startedAt;
      return;
    case "round.completed":
      turnOf(node).rounds.push({ calls: event.payload.calls, eventId: event.eventId });
      return;
    case "tool.requested": {
      const { callId: id, round, tool, effects, args } = event.payload;
      turnOf(node).calls.set(id, { id, round, tool, effects, args, ruling: null, completedWith: 0 });
      return;
    }
    case "tool.decided": {
      const call = turnOf(node).calls.get(event.payload.callId);
      if (call === undefined) return;
      call.ruling = event.payload.disposition;
      call.args = event.payload.args ?? call.args;
      return;
    }
    case "tool.completed": {
      const call = turnOf(node).calls.get(event.payload.callId);
      if (call === undefined) return;
      call.completedWith = event.eventId;
      // Its result is known: no person need be asked about it any more.
      if (call.ruling === "hold") call.ruling = "allow";
      return;
    }
    default:
  }
}

function turnOf(node: NodeFacts): TurnFacts {
  return (node.turn ??= { rounds: [], calls: new Map() });
}
