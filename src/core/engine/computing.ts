/** Nodes without gate, slot or attempt: they calculate, emit or begin to wait in the commit that made them ready. */
import {
  fail as failed,
  type Failure,
  invariant,
  type Json,
  type JsonObject,
  jsonToText,
  LIMITS,
  type Outcome,
  required,
  succeed,
} from "../base/index.ts";
import type { Work } from "../definition/index.ts";
import type { PlanNode } from "../plan/index.ts";
import type { Values } from "../template/index.ts";
import type { Findings } from "./binding.ts";
import { sceneInside } from "./blocks.ts";
import { emitEvent } from "./emitting.ts";
import { windDown } from "./ending.ts";
import { endFailed, failNode } from "./failing.ts";
import { givenValues } from "./given-values.ts";
import { nodeAt, planNodeOf } from "./move.ts";
import { isHeld } from "./pausing.ts";
import { noteFindings } from "./proceed.ts";
import { completeNode, dataResult } from "./settle.ts";
import type { NodeState, ReadyQueue, RunState } from "./state.ts";
import { setTimer, type Turn } from "./turn.ts";
import { evaluateValue, type Scene, sceneOf } from "./value.ts";
import { beginWait } from "./waits.ts";

/** Computes ready nodes, oldest first. Their number per input is limited, so that a long chain does not delay other runs. */
export function computeReady(turn: Turn): void {
  const { state } = turn;
  const { computing } = state;
  if (isHeld(turn)) return;
  while (turn.computed < LIMITS.computedNodesMax && state.ending === null) {
    const entry = nextOf(state, computing);
    if (entry === undefined) return;
    computing.head += 1;
    turn.computed += 1;
    compute(turn, nodeAt(state, entry.node));
  }
}

/** Returns the first entry that still waits. Entries before it are dropped. */
function nextOf(state: RunState, queue: ReadyQueue): ReadyQueue["entries"][number] | undefined {
  for (; queue.head < queue.entries.length; queue.head += 1) {
    const entry = required(queue.entries[queue.head], "the queue has a head");
    const { now } = nodeAt(state, entry.node);
    if (now.status === "queued" && now.eventId === entry.eventId) return entry;
  }
  queue.entries.length = 0;
  queue.head = 0;
  return undefined;
}

/** Sets a timer for the nodes that exceed the limit of this input. The timer is due at once. */
export function continueLater(turn: Turn): void {
  const { state } = turn;
  const entry = state.ending === null && !isHeld(turn) ? nextOf(state, state.computing) : undefined;
  if (entry !== undefined) setTimer(turn, { kind: "continue", eventId: entry.eventId }, turn.at);
}

function compute(turn: Turn, node: NodeState): void {
  const planNode = planNodeOf(turn.state, node);
  const work = required(planNode.work, "it has something to calculate");
  const evaluated = valuesOf(turn.state, node, planNode, work);
  if (!evaluated.ok) return failNode(turn, node, evaluated.failure);
  const { values, findings } = evaluated.value;
  noteFindings(turn, node, findings);
  switch (work.kind) {
    case "set":
      return set(turn, node, values);
    case "cancel":
      return cancel(turn, node, work, jsonToText(values["reason"]));
    case "fail":
      return fail(turn, node, planNode, work, jsonToText(values["message"]));
    case "wait":
      return beginWait(turn, node, work.wait, values);
    case "emit":
      return emitEvent(turn, node, work.emit, values);
    case "script":
    case "function":
      return invariant(false, `a ${work.kind} has attempts`);
  }
}

function set(turn: Turn, node: NodeState, values: JsonObject): void {
  const result = dataResult(values);
  if (result.envelope.output.length <= LIMITS.expressionResultBytesMax) return completeNode(turn, node, result);
  const message = `what ${node.id} sets takes more than ${LIMITS.expressionResultBytesMax} bytes`;
  failNode(turn, node, { code: "expression_limit", message });
}

function cancel(turn: Turn, node: NodeState, { as }: Extract<Work, { readonly kind: "cancel" }>, text: string): void {
  const reason = text || `ended by ${node.id}`;
  completeNode(turn, node, dataResult({ reason }));
  windDown(turn, { as, reason, isByStep: true });
}

type Evaluated = { readonly values: JsonObject; readonly findings: Findings };

/** Evaluates the values of a node. For a lens node they read its inputs by label, and its edges are their origin. */
function valuesOf(state: RunState, node: NodeState, planNode: PlanNode, work: Work): Outcome<Evaluated, Failure> {
  const { body } = planNode;
  if (body.kind === "step") {
    const scene = sceneOf(state, node, body);
    const values = { ...evaluate(scene, body.with, work), ...givenByName(state, node, body.with) };
    return scene.failure === null ? succeed({ values, findings: scene.gathering.findings }) : failed(scene.failure);
  }
  const inside = sceneInside(state, node, planNode, body);
  if (!inside.ok) return inside;
  const { scene, findings } = inside.value;
  const values = evaluate(scene, body.inside?.with ?? {}, work);
  return scene.failure === null ? succeed({ values, findings }) : failed(scene.failure);
}

/** Returns the values a person gave directly, in place of values calculated from references. */
function givenByName(state: RunState, node: NodeState, written: Values): JsonObject {
  const given = Object.entries(givenValues(state, node));
  return Object.fromEntries(given.filter(([name]) => Object.hasOwn(written, name)));
}

function evaluate(scene: Scene, written: Values, work: Work): JsonObject {
  const values = Object.entries(written).map(([name, value]): [string, Json] => [
    name,
    evaluateValue(scene, value, `${work.kind}.${name}`),
  ]);
  return Object.fromEntries(values);
}

type Fail = Extract<Work, { readonly kind: "fail" }>;

/** Fails the run with the author's own message. */
function fail(turn: Turn, node: NodeState, { isFailFast }: PlanNode, { code }: Fail, text: string): void {
  const message = (text || `ended by ${node.id}`).slice(0, LIMITS.errorTextLengthMax);
  endFailed(turn, node, { code, message });
  windDown(turn, { as: "failed", reason: message, errorCode: code, failed: node, isFailFast, isByStep: true });
}
