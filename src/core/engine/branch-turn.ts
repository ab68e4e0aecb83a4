/** A branch that starts inside the turn of an agent: the rounds it begins with, and a person's changes to the last of them. */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { AskedCall } from "../event/index.ts";
import { type AgentRound, type AgentTurn, askedOf, callIdOf, callsAlone, type ToolCall } from "./agent-turn.ts";
import { promptFor, withPrompts } from "./branch-edits.ts";
import type { CarriedCall, CarriedRound, CarriedTurn } from "./carried-turn.ts";
import type { Carried } from "./input.ts";
import { findNode, planNodeOf } from "./move.ts";
import { keptBeside } from "./redo.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { NodeState, RunState } from "./state.ts";

export interface TurnPoint {
  readonly nodeId: string;
  /** The last round that the new run begins with, counted from 0. */
  readonly round: number;
  readonly edit?: TurnEdit;
  /** The text that replaces the text of the node. */
  readonly prompt?: string;
  /** The person who branches. */
  readonly by?: string;
}

/** A change to the last round: another text of the model, or another result of one of its calls. */
export type TurnEdit =
  | { readonly message: string }
  | { readonly callId: string; readonly result: Json; readonly isError?: boolean };

type Outcome<T> = { readonly refusal: Refusal } | T;

/**
 * Returns what a run keeps when it branches inside a turn of this run: all settled results beside and before the node, and
 * the rounds of its turn up to the point. `open` decrypts a sealed message, and returns undefined when it cannot.
 */
export function branchInTurn(
  state: RunState,
  point: TurnPoint,
  open: (message: Json) => Json | undefined,
): Outcome<{ readonly carried: readonly Carried[] }> {
  const node = findNode(state, point.nodeId);
  if (node === undefined) return no("unknown_node", `The run has no node "${point.nodeId}".`);
  const { turn } = node;
  const last = turn?.rounds[point.round];
  if (turn === null || turn.rounds.length === 0) {
    return no("unknown_round", `${node.id} has no round: its agent has not answered, or takes no turns.`);
  }
  if (last === undefined) {
    return no("unknown_round", `${node.id} has no round ${point.round}; its last one is ${turn.rounds.length - 1}.`);
  }
  const kept = keptBeside(state, node);
  const again = planNodeOf(state, node).parents.find(
    (parent) => kept.redo.has(parent) && node.counted?.has(parent) !== false,
  );
  if (again !== undefined) {
    const parent = state.nodes[again]?.id ?? "";
    const why = `${parent} did not complete and runs again, so that ${node.id} may be given something else`;
    return no("turn_not_kept", `The turn cannot be continued: ${why}.`);
  }
  const carried = turnTo(state, node, turn, point, open);
  if ("refusal" in carried) return carried;
  if (point.prompt === undefined) return { carried: [...kept.carried, carried] };
  const made = promptFor(state, node, { text: point.prompt, by: point.by, field: "turn.prompt" });
  return "refusal" in made ? made : { carried: [...withPrompts(kept.carried, [made.prompt]), carried] };
}

function turnTo(
  state: RunState,
  node: NodeState,
  turn: AgentTurn,
  { round: last, edit, by }: TurnPoint,
  open: (message: Json) => Json | undefined,
): Outcome<CarriedTurn> {
  const rounds: CarriedRound[] = [];
  for (const [round, said] of turn.rounds.slice(0, last + 1).entries()) {
    const message = open(said.message);
    if (message === undefined) {
      return no(
        "turn_not_kept",
        `What the model said in round ${round} was sealed with a key the server does not have.`,
      );
    }
    const calls = callsOf(state, node, turn, { round, said, edit: round === last ? edit : undefined, by });
    if ("refusal" in calls) return calls;
    rounds.push({ ...said, message, calls: calls.calls });
  }
  const ending = rounds.at(-1);
  if (edit === undefined || !("message" in edit) || ending === undefined)
    return { nodeId: node.id, status: "turn", rounds };
  const message = withWords(ending.message, edit.message);
  if (message === null)
    return no(
      "turn_not_editable",
      `The words of round ${last} cannot be changed: its adapter keeps them in a form of its own.`,
    );
  const changed = { ...ending, text: edit.message, message, ...(by === undefined ? {} : { by }) };
  return { nodeId: node.id, status: "turn", rounds: [...rounds.slice(0, -1), changed] };
}

interface RoundPoint {
  readonly round: number;
  readonly said: AgentRound;
  readonly edit: TurnEdit | undefined;
  readonly by: string | undefined;
}

function callsOf(
  state: RunState,
  node: NodeState,
  turn: AgentTurn,
  { round, said, edit, by }: RoundPoint,
): Outcome<{ readonly calls: readonly CarriedCall[] }> {
  const made = [
    ...said.calls.map((asked, position) => ({ id: callIdOf(state, node, round, position), asked })),
    ...callsAlone(turn, round).map((call) => ({ id: call.id, asked: askedOf(call) })),
  ];
  const ids = made.map(({ id }) => id);
  if (edit !== undefined && "callId" in edit && !ids.includes(edit.callId)) {
    const listed = ids.length === 0 ? "it has none" : `its calls are ${ids.join(", ")}`;
    return no("unknown_call", `Round ${round} of ${node.id} has no call "${edit.callId}"; ${listed}.`);
  }
  const calls: CarriedCall[] = [];
  for (const { id, asked } of made) {
    const call = turn.calls.get(id);
    const given = edit !== undefined && "callId" in edit && edit.callId === id ? edit : undefined;
    const outcome = given === undefined ? outcomeOf(call) : givenBy(given, by);
    if (outcome === null) {
      const hint = round === 0 ? "give its result" : `give its result, or branch from round ${round - 1}`;
      return no("round_open", `The call of ${asked.tool} in round ${round} has no result: ${hint}.`);
    }
    calls.push(carriedCall(asked, call, outcome));
  }
  return { calls };
}

function carriedCall(asked: AskedCall, made: ToolCall | undefined, outcome: CarriedCall["outcome"]): CarriedCall {
  // For a call that was never judged, the same defaults apply as for an unknown tool.
  const { action, effects } = made ?? ({ action: "execute", effects: "at_least_once" } as const);
  return { asked, action, effects, outcome, ...(made?.isChanged === true ? { args: made.args } : {}) };
}

function outcomeOf(made: ToolCall | undefined): CarriedCall["outcome"] | null {
  if (made === undefined) return null;
  if (made.ruling.kind === "deny") return { denied: made.ruling.reason };
  return made.result;
}

function givenBy(
  { result: value, isError = false }: Extract<TurnEdit, { callId: string }>,
  by: string | undefined,
): CarriedCall["outcome"] {
  return { value, isError, ...(by === undefined ? {} : { by }) };
}

/**
 * Replaces the text of a message and keeps its calls. Returns null when the form of the message is unknown. Several text
 * parts become one, without the provider's notes on them, because it could answer from its own copy of the old text.
 */
function withWords(message: Json, text: string): JsonObject | null {
  if (!isJsonObject(message)) return null;
  const { content } = message;
  if (typeof content === "string") return { ...message, content: text };
  if (!isJsonArray(content)) return null;
  const words: Json = { type: "text", text };
  const first = content.findIndex(isText);
  const call = content.findIndex((part) => isJsonObject(part) && part["type"] === "tool-call");
  const place = first >= 0 ? first : call >= 0 ? call : content.length;
  const before = content.slice(0, place);
  const after = content.slice(place).filter((part) => !isText(part));
  return { ...message, content: [...before, words, ...after] };
}

function isText(part: Json): boolean {
  return isJsonObject(part) && part["type"] === "text";
}

function no(code: string, message: string): { readonly refusal: Refusal } {
  return { refusal: refuse(code, message) };
}
