/** Nodes that wait for a time, an event or a signal. They are blocked without slot, attempt or adapter deadline. */
import {
  digestJson,
  fail,
  type Failure,
  isJsonObject,
  type Json,
  type JsonObject,
  type Outcome,
  succeed,
} from "../base/index.ts";
import type { Wait } from "../definition/index.ts";
import { instantOf } from "../expression/index.ts";
import { completeAttempt } from "./completing.ts";
import { failNode } from "./failing.ts";
import type { EventInput } from "./input.ts";
import { findNode, planNodeOf } from "./move.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { completeNode, dataResult, skipNode } from "./settle.ts";
import type { AwaitedEvent, NodeState, RunState } from "./state.ts";
import type { Timer } from "./timer.ts";
import { about, emit, requireNode, setTimer, type Turn } from "./turn.ts";
import { hasTaken } from "./taken-events.ts";

/** Begins the wait of a node that is ready. */
export function beginWait(turn: Turn, node: NodeState, wait: Wait, values: JsonObject): void {
  switch (wait.kind) {
    case "delay":
      return blockUntil(turn, node, turn.at + wait.ms);
    case "until": {
      const until = momentOf(values);
      return until.ok ? blockUntil(turn, node, until.value) : failNode(turn, node, until.failure);
    }
    case "signal":
      return blockForEvent(turn, node, signalTo(rootOf(turn.state), wait.name), wait.timeoutMs);
    case "event": {
      const { match = {} } = values;
      const key = isJsonObject(match) ? match : {};
      return blockForEvent(turn, node, { type: wait.type, key }, wait.timeoutMs);
    }
  }
}

/** A signal is an event to one run. No other event type contains a colon. */
export function signalTo(rootRunId: string, name: string): AwaitedEvent {
  return { type: `signal:${name}`, key: { run: rootRunId } };
}

/** Returns the first run of the family. */
function rootOf({ root, runId }: RunState): string {
  return root?.runId ?? runId;
}

/** Returns the digest by which events are matched. It covers all members of the key, in any order. */
export function keyDigest(key: JsonObject): string {
  return digestJson(key);
}

function blockUntil(turn: Turn, node: NodeState, until: number): void {
  emit(turn, "node.blocked", { ...about(node), waitingReason: "timer", until });
  setTimer(turn, timerOf(node, until), until);
}

function blockForEvent(turn: Turn, node: NodeState, event: AwaitedEvent, timeoutMs: number | null): void {
  const until = timeoutMs === null ? null : turn.at + timeoutMs;
  const ending = until === null ? {} : { until };
  emit(turn, "node.blocked", { ...about(node), waitingReason: "event", event: { ...event }, ...ending });
  if (until !== null) setTimer(turn, timerOf(node, until), until);
}

function timerOf(node: NodeState, until: number): Timer {
  return { kind: "wait", nodeId: node.id, epoch: node.epoch, until };
}

function momentOf({ until = null }: JsonObject): Outcome<number, Failure> {
  const moment = typeof until === "string" ? instantOf(until) : undefined;
  if (moment !== undefined) return succeed(moment);
  const shown = JSON.stringify(until).slice(0, 100);
  const message = `wait.until must be a date such as 2031-05-04T10:00:00Z, but it is ${shown}`;
  return fail({ code: "expression_error", message });
}

/** Handles the end of a wait: its time has come, or no event has arrived in time. */
export function onWaitTimer(turn: Turn, node: NodeState, timer: Extract<Timer, { kind: "wait" }>): void {
  const { now } = node;
  if (now.status !== "blocked" || node.epoch !== timer.epoch || now.until !== timer.until) return;
  if (now.waitingReason === "timer") return completeNode(turn, node, dataResult({}));
  if (now.waitingReason === "event") onTimeout(turn, node, now.awaited);
}

function onTimeout(turn: Turn, node: NodeState, awaited: AwaitedEvent | null): void {
  const { work } = planNodeOf(turn.state, node);
  if (work?.kind !== "wait" || !("onTimeout" in work.wait)) return;
  const { wait } = work;
  switch (wait.onTimeout) {
    case "skip":
      return skipNode(turn, node, "timeout");
    case "continue":
      return completeNode(turn, node, dataResult({ timed_out: true }));
    case "fail": {
      const message = `${node.id} waited ${wait.timeoutMs ?? 0} ms for ${awaited?.type ?? "an event"}`;
      return failNode(turn, node, { code: "timeout", message });
    }
  }
}

/** Returns whether a node waits for this event, has already taken it, or does neither. */
export function eventStanding(
  state: RunState,
  { nodeId, epoch, event }: EventInput,
): "waiting" | "taken" | "not_waiting" {
  const node = findNode(state, nodeId);
  const awaited = node?.now.status === "blocked" ? node.now.awaited : null;
  if (node === undefined || awaited === null || node.epoch !== epoch) return "not_waiting";
  if (awaited.type !== event.type || keyDigest(awaited.key) !== keyDigest(event.key)) return "not_waiting";
  return hasTaken(state, node, event.id) ? "taken" : "waiting";
}

/** Handles an event for a waiting node. A repeated event, or one for another wait, changes nothing. */
export function onEvent(turn: Turn, input: EventInput): Refusal | undefined {
  const standing = eventStanding(turn.state, input);
  if (standing === "not_waiting") return refuse("not_waiting", `${input.nodeId} does not wait for this event`);
  if (standing === "taken") return refuse("event_taken", `${input.nodeId} has taken this event`);
  const node = requireNode(turn.state, input.nodeId);
  emit(turn, "event.received", { ...about(node), id: input.event.id, type: input.event.type });
  completeAttempt(turn, node, { outputs: outputsOf(input.event.data) });
  return undefined;
}

/** Outputs need names, so any value other than an object gets the name `result`. */
function outputsOf(data: Json): JsonObject {
  return isJsonObject(data) ? data : { result: data };
}
