import type { Frame } from "../../../client/index.ts";
import type { RunEvent } from "../../../core/event/index.ts";
import { type EventFilter, isEverything, isWanted, wantedGroups } from "./event-filter.ts";
import type { EventGroup } from "./event-groups.ts";
import type { RunLog } from "./run-log.ts";

export interface EventLine {
  /** Id of the event that a click selects. */
  readonly eventId: number;
  readonly event: RunEvent;
  readonly group: EventGroup | null;
  readonly frame: Frame | undefined;
}

/** Lines of a log. Each is created only when requested, since a log has thousands of lines and a screen shows twenty. */
export interface EventLines {
  readonly count: number;
  readonly at: (place: number) => EventLine | undefined;
  readonly between: (from: number, to: number) => readonly EventLine[];
  /** Returns the index of the line of an event. -1 when it has none. */
  readonly placeOf: (eventId: number) => number;
}

/** Data for the lines. The groups may be those of an earlier event, which is then passed as `until`. */
type Listing = Pick<RunLog, "events" | "frames" | "groups">;

/** Returns the lines of a log. `until` is the last event to show, null for the newest. */
export function linesOf(
  log: Listing,
  mode: "compact" | "full" | "json",
  filter: EventFilter,
  until: number | null,
): EventLines {
  return mode === "compact" ? groupLines(log, filter, until) : eventLines(log, filter, until);
}

function eventLines({ events, frames }: Listing, filter: EventFilter, until: number | null): EventLines {
  const line = (event: RunEvent): EventLine => ({
    eventId: event.eventId,
    event,
    group: null,
    frame: frames[event.eventId - 1],
  });
  const count = Math.min(events.length, until ?? Infinity);
  if (isEverything(filter)) {
    return listed(events, count, line, (eventId) => (eventId >= 1 && eventId <= count ? eventId - 1 : -1));
  }
  const wanted = events.slice(0, count).filter((event) => isWanted(event, filter));
  return listed(wanted, wanted.length, line, (id) => wanted.findIndex(({ eventId }) => eventId === id));
}

function groupLines({ groups, events }: Listing, filter: EventFilter, until: number | null): EventLines {
  const known = groups.groups;
  // The groups are in the order in which they began.
  const count = until === null ? known.length : lowerBound(known.length, (place) => (known[place]?.id ?? 0) > until);
  if (isEverything(filter)) {
    return listed(known, count, groupLine, (eventId) => {
      const place = groups.placeOf(eventId);
      return place < count ? place : -1;
    });
  }
  const wanted = wantedGroups(known.slice(0, count), events.slice(0, until ?? events.length), filter);
  return listed(wanted, wanted.length, groupLine, (id) => wanted.findIndex(({ eventIds }) => eventIds.includes(id)));
}

function groupLine(group: EventGroup): EventLine {
  return { eventId: group.id, event: group.headline, group, frame: undefined };
}

function listed<T>(
  list: readonly T[],
  count: number,
  line: (item: T) => EventLine,
  placeOf: EventLines["placeOf"],
): EventLines {
  const at = (place: number): EventLine | undefined => {
    const item = place < count ? list[place] : undefined;
    return item === undefined ? undefined : line(item);
  };
  const between = (from: number, to: number): readonly EventLine[] => list.slice(from, Math.min(to, count)).map(line);
  return { count, at, between, placeOf };
}

/** Returns the first index for which a condition holds. It must hold for all later ones too. */
function lowerBound(count: number, holds: (place: number) => boolean): number {
  let from = 0;
  let to = count;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
