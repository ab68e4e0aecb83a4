import { type JSX, type KeyboardEvent, memo, useEffect, useMemo, useState } from "react";
import { spanText } from "../../parts/figures.ts";
import { OffsetText } from "../../parts/time-text.tsx";
import { EventDetail } from "./event-detail.tsx";
import { EventBar, EVERYTHING, type EventMode, type EventSelection } from "./event-bar.tsx";
import type { EventFilter } from "../../run/model/event-filter.ts";
import { type EventLine, type EventLines, linesOf } from "../../run/model/event-lines.ts";
import { detailOf, lookOfEvent } from "../../run/model/event-text.ts";
import { plainText } from "../../../core/text/index.ts";
import { useRunView } from "../../run/nodes-page.ts";
import { useRunPage } from "./run-page.ts";
import { useRows } from "./use-rows.ts";
import "./event-pane.css";

const ROW_PX = 28;

/** The event log of the run: one group per attempt, every event, or as JSON. */
export function EventPane(): JSX.Element {
  const { feed, node, event, selectEvent } = useRunPage();
  const [selection, setSelection] = useState<EventSelection>(EVERYTHING);
  const { mode, kind, text, isOnlyNode, isFollowed } = selection;
  const view = useRunView();
  const lines = useLines(mode, { kind, text, nodeId: isOnlyNode ? node : null }, view.lastEventId);
  const list = useRows(lines.count, ROW_PX, isFollowed && event === null);
  const place = event === null ? -1 : lines.placeOf(event);
  const { scrollTo } = list;
  useEffect(() => scrollTo(place), [place, mode]); // oxlint-disable-line react-hooks/exhaustive-deps
  const onKey = (pressed: KeyboardEvent): void => {
    const step = pressed.key === "ArrowDown" ? 1 : pressed.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    pressed.preventDefault();
    const next = lines.at(Math.max(0, Math.min(lines.count - 1, place + step)));
    if (next !== undefined) selectEvent(next.eventId);
  };
  return (
    <div className="events">
      <EventBar selection={selection} onSelection={setSelection} shown={lines.count} />
      <div className="events-body">
        <div
          className="events-box"
          ref={list.box}
          role="listbox"
          aria-label="Events"
          tabIndex={0}
          aria-activedescendant={
            place >= list.from && place < list.to ? `event-${lines.at(place)?.eventId ?? 0}` : undefined
          }
          onKeyDown={onKey}
        >
          <div role="presentation" style={{ height: list.before }} />
          {lines.between(list.from, list.to).map(({ eventId, event, group, frame }, index) => (
            <EventRow
              key={eventId}
              {...{ eventId, group, frame, mode }}
              event={event}
              isSelected={list.from + index === place}
            />
          ))}
          <div role="presentation" style={{ height: list.after }} />
          {lines.count === 0 && (
            <p className="muted events-none" role="presentation">
              {feed.log.events.length === 0 ? "Reading the log …" : "No results"}
            </p>
          )}
        </div>
        {event !== null && <EventDetail eventId={event} groupEventIds={lines.at(place)?.group?.eventIds ?? []} />}
      </div>
    </div>
  );
}

function useLines(mode: EventMode, { kind, text, nodeId }: EventFilter, lastEventId: number): EventLines {
  const { feed } = useRunPage();
  const { log, pinnedAt } = feed;
  return useMemo(
    () =>
      linesOf(
        { events: log.events, frames: log.frames, groups: feed.facts.groups },
        mode,
        { kind, text, nodeId },
        pinnedAt,
      ),
    [feed, log, pinnedAt, mode, kind, text, nodeId, lastEventId], // oxlint-disable-line react-hooks/exhaustive-deps
  );
}

type EventRowProps = EventLine & { readonly mode: EventMode; readonly isSelected: boolean };

const EventRow = memo(function EventRow(props: EventRowProps): JSX.Element {
  const { eventId, event, group, frame, mode, isSelected } = props;
  const { feed, selectEvent, selectNode } = useRunPage();
  const look = lookOfEvent(event);
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
        <code className="cut">{plainText(JSON.stringify(frame))}</code>
      ) : (
        <>
          <span className="event-time">
            <OffsetText at={event.at} from={feed.log.timeline.startedAt ?? event.at} />
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
});
