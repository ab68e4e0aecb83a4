import { type RunEvent, SETTLING_TYPES } from "../../../core/event/index.ts";

/** Events that belong together: an attempt of a node from its queue to its end, or one event of the run itself. */
export interface EventGroup {
  /** Id of the event that opened the group. It never changes. */
  readonly id: number;
  readonly nodeId: string | null;
  readonly attempt: number | null;
  readonly from: number;
  readonly to: number;
  /** The most descriptive event: the last one that is not a by-product. */
  readonly headline: RunEvent;
  readonly eventIds: readonly number[];
  readonly isClosed: boolean;
}

type Growing = EventGroup & { readonly eventIds: number[] };

const CLOSING: ReadonlySet<string> = new Set([...SETTLING_TYPES, "node.retried", "node.invalidated"]);

const BEFORE_START: ReadonlySet<string> = new Set(["node.queued", "node.waiting", "node.blocked"]);

/** Events recorded during an attempt that never change the status. */
const BY_PRODUCTS: ReadonlySet<string> = new Set([
  "node.stream.delta",
  "node.log",
  "node.provenance",
  "gate.decided",
  "cost.recorded",
  "approval.reminded",
  "child.finished",
  "contract.violated",
  "moderation.flagged",
]);

/** The compact log. It receives one event at a time, in order. A changed group is replaced by a new object. */
export class EventGroups {
  readonly groups: Growing[] = [];
  /** Index of the newest group of each node. */
  readonly #newest = new Map<string, number>();
  /** Event of a wait for other nodes. It becomes part of the group of the next attempt. */
  readonly #preludes = new Map<string, number>();
  /** Index of the group of each event. Event ids begin with 1. */
  readonly #placeOf: number[] = [];

  take(event: RunEvent): void {
    const nodeId = "nodeId" in event.payload ? event.payload.nodeId : null;
    const place = nodeId === null ? undefined : this.#newest.get(nodeId);
    const known = place === undefined ? undefined : this.groups[place];
    // Events after the end, such as a late cost, belong to the ended group. Any other event begins a new group.
    if (known !== undefined && place !== undefined && (!known.isClosed || BY_PRODUCTS.has(event.type))) {
      this.groups[place] = joined(known, event);
      this.#placeOf[event.eventId] = place;
    } else if (nodeId !== null && isPrelude(event)) this.#preludes.set(nodeId, event.eventId);
    else this.#begin(event, nodeId);
  }

  #begin(event: RunEvent, nodeId: string | null): void {
    const place = this.groups.length;
    const prelude = nodeId === null ? undefined : this.#preludes.get(nodeId);
    const eventIds = prelude === undefined ? [event.eventId] : [prelude, event.eventId];
    for (const id of eventIds) this.#placeOf[id] = place;
    if (nodeId !== null) {
      this.#newest.set(nodeId, place);
      this.#preludes.delete(nodeId);
    }
    this.groups.push({
      id: event.eventId,
      nodeId,
      attempt: attemptOf(event),
      from: event.at,
      to: event.at,
      headline: event,
      eventIds,
      isClosed: nodeId === null || CLOSING.has(event.type),
    });
  }

  /** Returns the index of the group of an event. -1 when it is unknown. */
  placeOf(eventId: number): number {
    return this.#placeOf[eventId] ?? -1;
  }
}

/** Adds an event to a group. All versions of a group share the list of ids, so that long streams are not copied for each event. */
function joined(group: Growing, event: RunEvent): Growing {
  group.eventIds.push(event.eventId);
  return {
    ...group,
    attempt: group.attempt ?? attemptOf(event),
    to: Math.max(group.to, event.at),
    headline: BY_PRODUCTS.has(event.type) ? group.headline : event,
    eventIds: group.eventIds,
    isClosed: group.isClosed || CLOSING.has(event.type),
  };
}

function isPrelude(event: RunEvent): boolean {
  return event.type === "node.waiting" && event.payload.waitingReason === "dependency";
}

/** Returns the attempt of an event. An event before the start still contains the number of the previous attempt. */
function attemptOf(event: RunEvent): number | null {
  if (!("nodeId" in event.payload) || BEFORE_START.has(event.type)) return null;
  return event.payload.attempt ?? null;
}
