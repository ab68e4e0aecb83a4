import { type AgentTurn, type Effect, findNode, type Input, type ToolCall } from "../../../src/core/engine/index.ts";
import type { RunEvent } from "../../../src/core/event/index.ts";
import { REAL_ENGINE } from "../engine.ts";
import type { ScheduleOptions } from "../schedule.ts";
import { type Mutant, rewrite, tamper, withEngine, withExtra } from "./mutant.ts";

/** Agents work in rounds in every schedule. */
function inTurns(options: ScheduleOptions): () => ScheduleOptions {
  return () => ({ ...options, hasTurns: true });
}

/** What a dispatch says of the turn it continues, with one thing wrong. */
function misreporting(change: (turn: AgentTurn) => AgentTurn | null): () => ScheduleOptions {
  const wrong = (effect: Effect): Effect =>
    effect.type === "dispatch" && effect.turn !== null ? { ...effect, turn: change(effect.turn) } : effect;
  return inTurns(tamper(({ effects }) => ({ effects: effects.map(wrong) })));
}

function withCalls(turn: AgentTurn, change: (call: ToolCall) => ToolCall): AgentTurn {
  return { ...turn, calls: new Map([...turn.calls].map(([id, call]) => [id, change(call)])) };
}

/** The engine gets other verdicts about calls than were given. */
function misjudging(change: (verdict: ToolVerdict) => ToolVerdict): () => ScheduleOptions {
  const wrong = (input: Input): Input =>
    input.type === "tool_verdict" ? { ...input, verdict: change(input.verdict) } : input;
  return inTurns(withEngine({ advance: (state, input) => REAL_ENGINE.advance(state, wrong(input)) }));
}

type ToolVerdict = Extract<Input, { readonly type: "tool_verdict" }>["verdict"];

/** A remark in place of an event. */
function remark({
  eventId,
  at,
  payload: { nodeId },
}: Extract<RunEvent, { type: "node.queued" | "node.blocked" }>): RunEvent {
  return { eventId, at, type: "node.log", payload: { nodeId, level: "info", message: "nothing" } };
}

export const TURN_MUTANTS: readonly Mutant[] = [
  {
    invariant: "allowed",
    bug: "a hold about a call is taken for an allowance",
    options: misjudging((verdict) => {
      const { verdictId, action, effects } = verdict;
      return verdict.disposition === "hold" ? { disposition: "allow", verdictId, action, effects } : verdict;
    }),
  },
  {
    invariant: "allowed",
    bug: "a call that was denied is allowed when the turn continues",
    options: misreporting((turn) =>
      withCalls(turn, (call) =>
        call.ruling.kind === "deny" ? { ...call, ruling: { kind: "allow", execution: 1 } } : call,
      ),
    ),
  },
  {
    invariant: "allowed",
    bug: "args a person has changed are forgotten",
    options: misreporting((turn) =>
      withCalls(turn, (call) => {
        const position = Number(call.id.slice(call.id.lastIndexOf("/") + 1));
        return { ...call, args: turn.rounds[call.round]?.calls[position]?.args ?? call.args };
      }),
    ),
  },
  {
    invariant: "completed",
    bug: "the results of calls are forgotten when the turn continues",
    options: misreporting((turn) => withCalls(turn, (call) => ({ ...call, result: null }))),
  },
  {
    invariant: "at_most_once",
    bug: "a call that may be made once is made again after a loss",
    options: misjudging((verdict) => ({ ...verdict, effects: "at_least_once" })),
  },
  {
    invariant: "approval_use",
    bug: "an answer allows every call that is held",
    options: inTurns(
      tamper(({ state, input, events }) => {
        const decided = events.find(({ type, payload }) => type === "tool.decided" && "approvalId" in payload);
        if (decided?.type !== "tool.decided" || decided.payload.disposition !== "allow") return null;
        const { payload } = decided;
        const calls = findNode(state, payload.nodeId)?.turn?.calls.values() ?? [];
        const other = [...calls].find(({ id, ruling }) => ruling.kind === "hold" && id !== payload.callId);
        if (other === undefined) return null;
        const extra = { type: "tool.decided", payload: { ...payload, callId: other.id } } as const;
        return { events: withExtra(events, state, input.at, extra) };
      }),
    ),
  },
  {
    invariant: "approval_use",
    bug: "a call that a person has rejected is allowed",
    options: inTurns(
      tamper(({ events }) => ({
        events: rewrite(events, "tool.decided", (event) =>
          event.payload.code === "approval_rejected"
            ? { ...event, payload: { ...event.payload, disposition: "allow" } }
            : event,
        ),
      })),
    ),
  },
  {
    invariant: "rounds",
    bug: "a turn that continues has lost its last round",
    options: misreporting((turn) => ({ ...turn, rounds: turn.rounds.slice(0, -1) })),
  },
  { invariant: "rounds", bug: "a turn begins anew after a loss", options: misreporting(() => null) },
  {
    invariant: "continue",
    bug: "a turn does not go on after the last answer",
    options: inTurns(
      tamper(({ input, events }) =>
        input.type === "approval" ? { events: rewrite(events, "node.queued", remark) } : null,
      ),
    ),
  },
  {
    invariant: "continue",
    bug: "a turn goes on without what a person has decided",
    options: misreporting((turn) =>
      withCalls(turn, (call) => ({ ...call, ruling: { kind: "deny", reason: "it was not decided", code: null } })),
    ),
  },
  {
    invariant: "suspended",
    bug: "a turn that is suspended counts as running",
    options: inTurns(
      tamper(({ events }) => ({
        events: rewrite(events, "node.blocked", (event) =>
          event.payload.segment === undefined ? event : remark(event),
        ),
      })),
    ),
  },
  {
    invariant: "suspended",
    bug: "a turn that continues has all its time again",
    options: inTurns(
      tamper(({ state, events }) => ({
        events: rewrite(events, "node.started", (event) => {
          const { nodeId, segment } = event.payload;
          const node = findNode(state, nodeId);
          const { timeoutMs = null } = node === undefined ? {} : (state.plan.nodes[node.planIndex] ?? {});
          if (segment === undefined || timeoutMs === null) return event;
          return { ...event, payload: { ...event.payload, deadlineAt: event.at + timeoutMs } };
        }),
      })),
    ),
  },
  {
    invariant: "suspended",
    bug: "a turn that is suspended keeps its slot and its money",
    options: inTurns({ bugs: { keepsAt: "node.blocked" } }),
  },
  {
    invariant: "settled_rounds",
    bug: "what a round cost is rounded up",
    options: inTurns(
      tamper(({ events }) => ({
        events: rewrite(events, "cost.recorded", (event) => {
          const { round, costMicros } = event.payload;
          const costs = round === undefined ? costMicros : Math.ceil(costMicros / 10) * 10;
          return { ...event, payload: { ...event.payload, costMicros: costs } };
        }),
      })),
    ),
  },
  {
    invariant: "settled_rounds",
    bug: "the money of a turn that has ended is not given back",
    options: inTurns({ bugs: { keepsAt: "node.completed" } }),
  },
  {
    invariant: "E14",
    bug: "a round that is reported late costs nothing",
    options: inTurns(
      tamper(({ input, events }) =>
        input.type === "round" ? { events: events.filter((event) => !isLateCost(event)) } : null,
      ),
    ),
  },
];

function isLateCost(event: RunEvent): boolean {
  return event.type === "cost.recorded" && event.payload.late === true;
}
