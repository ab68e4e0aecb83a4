import { type Effect, findNode, keyDigest } from "../../core/engine/index.ts";
import { isTerminal, type RunEvent } from "../../core/event/index.ts";
import type { NewEvent, NewWaiter, RunCommit } from "../../store/index.ts";
import type { DrivenRun } from "./driven-run.ts";

type EventRows = Pick<RunCommit, "waiters" | "waitersEnded" | "emitted">;

/** Returns rows of nodes that began to wait for an event, of nodes that wait no more, and of emitted events. */
export function deriveEvents(live: DrivenRun, events: readonly RunEvent[], effects: readonly Effect[]): EventRows {
  const waiters = newWaiters(live, events);
  const waiting = new Set(waiters.map(({ nodeId }) => nodeId));
  const waitersEnded = [...live.waiters].filter((nodeId) => !waiting.has(nodeId) && !isAwaiting(live, nodeId));
  return { waiters, waitersEnded, emitted: emittedBy(live, effects) };
}

/** Returns the nodes that began to wait with these events and still wait. */
export function newWaiters(live: DrivenRun, events: readonly RunEvent[]): readonly NewWaiter[] {
  const { state, run } = live;
  if (state.waits.event === 0 || isTerminal(state.status)) return [];
  const since = state.root?.createdAt ?? run.createdAt;
  return events.flatMap(({ type, payload, eventId: blockedBy }): NewWaiter[] => {
    if (type !== "node.blocked" || payload.event === undefined) return [];
    const node = findNode(state, payload.nodeId);
    if (node?.now.status !== "blocked" || node.now.eventId !== blockedBy) return [];
    const { nodeId, event } = payload;
    return [{ nodeId, epoch: node.epoch, blockedBy, type: event.type, keyDigest: keyDigest(event.key), since }];
  });
}

function isAwaiting({ state }: DrivenRun, nodeId: string): boolean {
  const now = findNode(state, nodeId)?.now;
  return now?.status === "blocked" && now.awaited !== null && !isTerminal(state.status);
}

export function emittedBy({ state }: DrivenRun, effects: readonly Effect[]): readonly NewEvent[] {
  return effects.flatMap((effect): NewEvent[] => {
    if (effect.type !== "emit-event") return [];
    const { event, keepMs, hops } = effect;
    return [{ ...event, keyDigest: keyDigest(event.key), keepMs, hops, sentBy: state.runId }];
  });
}

/** Returns the nodes of a run that wait for an event according to its log. */
export function waitingNodesOf({ state }: Pick<DrivenRun, "state">): Set<string> {
  if (state.waits.event === 0) return new Set();
  return new Set(state.nodes.filter(({ now }) => now.status === "blocked" && now.awaited !== null).map(({ id }) => id));
}
