import { type JSX, type KeyboardEvent, useEffect, useMemo, useState } from "react";
import type { Frame } from "../../../client/index.ts";
import type { RunEvent } from "../../../core/event/index.ts";
import { spanText } from "../../parts/figures.ts";
import { TimeText } from "../../parts/time-text.tsx";
import { EventDetail } from "./event-detail.tsx";
import { EventBar, EVERYTHING, type EventMode, type EventWish } from "./event-bar.tsx";
import { type EventFilter, isEverything, isWanted, wantedGroups } from "./model/event-filter.ts";
import type { EventGroup } from "./model/event-groups.ts";
import { detailOf, EVENT_LOOKS } from "./model/event-text.ts";
import { plainText } from "./model/plain-text.ts";
import { useRunPage, useRunView } from "./run-page.ts";
import { useRows } from "./use-rows.ts";
import "./event-pane.css";

const ROW_PX = 28;
interface Line {
  /** The event a click selects. */
  readonly eventId: number;
  readonly event: RunEvent;
  readonly group: EventGroup | null;
  readonly frame: Frame | undefined;
}

/** The log of the run: a story per attempt, every event, or the JSON of it. */
export function EventPane(): JSX.Element {
  const { node, event, selectEvent } = useRunPage();
  const [wish, setWish] = useState<EventWish>(EVERYTHING);
  const { mode, kind, text, isOnlyNode, isFollowed } = wish;
  const view = useRunView();
  const lines = useLines(mode, { kind, text, nodeId: isOnlyNode ? node : null }, view.lastEventId);
  const list = useRows(lines.length, ROW_PX, isFollowed && event === null);
  const place = placeOf(lines, event);
  const { scrollTo } = list;
  useEffect(() => scrollTo(place), [place, mode]); // oxlint-disable-line react-hooks/exhaustive-deps
  const onKey = (pressed: KeyboardEvent): void => {
    const step = pressed.key === "ArrowDown" ? 1 : pressed.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    pressed.preventDefault();
    const next = lines[Math.max(0, Math.min(lines.length - 1, place + step))];
    if (next !== undefined) selectEvent(next.eventId);
  };
  return (
    <div className="events">
      <EventBar wish={wish} onWish={setWish} shown={lines.length} />
      <div className="events-body">
        <div
          className="events-box"
          ref={list.box}
          role="listbox"
          aria-label="Events"
          tabIndex={0}
          aria-activedescendant={
            place >= list.from && place < list.to ? `event-${lines[place]?.eventId ?? 0}` : undefined
          }
          onKeyDown={onKey}
        >
          <div role="presentation" style={{ height: list.before }} />
          {lines.slice(list.from, list.to).map((line, index) => (
            <EventRow key={line.eventId} line={line} mode={mode} isSelected={list.from + index === place} />
          ))}
          <div role="presentation" style={{ height: list.after }} />
          {lines.length === 0 && (
            <p className="muted events-none" role="presentation">
              No event fits.
            </p>
          )}
        </div>
        {event !== null && <EventDetail eventId={event} groupEventIds={lines[place]?.group?.eventIds ?? []} />}
      </div>
    </div>
  );
}

/** Lines of the log. Without a filter nothing is copied but what is shown. */
function useLines(mode: EventMode, filter: EventFilter, lastEventId: number): readonly Line[] {
  const { feed } = useRunPage();
  const { log, pinnedAt } = feed;
  const { kind, text, nodeId } = filter;
  return useMemo(() => {
    const all = pinnedAt === null ? log.events : log.events.slice(0, pinnedAt);
    const isAll = isEverything({ kind, text, nodeId });
    if (mode !== "compact") {
      const wanted = isAll ? all : all.filter((event) => isWanted(event, { kind, text, nodeId }));
      return wanted.map((event) => ({
        eventId: event.eventId,
        event,
        group: null,
        frame: log.frames[event.eventId - 1],
      }));
    }
    const until = pinnedAt ?? Infinity;
    const known = log.groups.groups.filter(({ id }) => id <= until);
    const wanted = isAll ? known : wantedGroups(known, all, { kind, text, nodeId });
    return wanted.map((group) => ({ eventId: group.id, event: group.headline, group, frame: undefined }));
  }, [log, pinnedAt, mode, kind, text, nodeId, lastEventId]); // oxlint-disable-line react-hooks/exhaustive-deps
}

function placeOf(lines: readonly Line[], eventId: number | null): number {
  if (eventId === null) return -1;
  return lines.findIndex((line) => line.eventId === eventId || (line.group?.eventIds.includes(eventId) ?? false));
}

function EventRow({
  line,
  mode,
  isSelected,
}: {
  readonly line: Line;
  readonly mode: EventMode;
  readonly isSelected: boolean;
}): JSX.Element {
  const { selectEvent, selectNode } = useRunPage();
  const { event, group, eventId } = line;
  const look = EVENT_LOOKS[event.type];
  const nodeId = "nodeId" in event.payload ? event.payload.nodeId : null;
  const choose = (): void => {
    selectEvent(eventId);
    if (nodeId !== null) selectNode(nodeId);
  };
  return (
    <div
      id={`event-${eventId}`}
      role="option"
      aria-selected={isSelected}
      className={`event-row ${isSelected ? "is-selected" : ""}`}
      style={{ height: ROW_PX }}
      onClick={choose}
    >
      <span className="event-id num">{eventId}</span>
      {mode === "json" ? (
        <code className="cut">{plainText(JSON.stringify(line.frame))}</code>
      ) : (
        <>
          <span className="event-time">
            <TimeText at={event.at} />
          </span>
          <span className={`event-kind text-${look.tone} cut`}>{look.label}</span>
          <span className="event-node cut">
            {nodeId ?? ""}
            {group?.attempt !== undefined && group.attempt !== null && group.attempt > 1 ? ` #${group.attempt}` : ""}
          </span>
          <span className="event-detail cut">{plainText(detailOf(event))}</span>
          {group !== null && group.eventIds.length > 1 && (
            <span className="event-more num muted">
              {group.eventIds.length} events · {spanText(group.to - group.from)}
            </span>
          )}
        </>
      )}
    </div>
  );
}
