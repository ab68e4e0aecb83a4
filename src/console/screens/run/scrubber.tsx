import type { JSX } from "react";
import { Button } from "../../parts/button.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { lookOfEvent } from "../../run/model/event-text.ts";
import { useRunView } from "../../run/nodes-page.ts";
import { useRunPage } from "./run-page.ts";

/** A slider over the whole log. The page shows the run as it was after the selected event. */
export function Scrubber(): JSX.Element {
  const { feed, travel } = useRunPage();
  useRunView();
  const { log, pinnedAt } = feed;
  const last = log.view.lastEventId;
  const at = pinnedAt ?? last;
  const event = log.events[at - 1];
  const nodeId = event !== undefined && "nodeId" in event.payload ? event.payload.nodeId : null;
  const step = (by: number): void => travel(Math.max(1, Math.min(last, at + by)));
  const words = event === undefined ? "" : `${lookOfEvent(event).label}${nodeId === null ? "" : ` · ${nodeId}`}`;
  return (
    <div className={`scrubber ${pinnedAt === null ? "" : "is-pinned"}`} role="group" aria-label="Time travel">
      <Button
        kind="quiet"
        size="small"
        icon="left"
        label="One event back"
        disabled={at <= 1}
        onClick={() => step(-1)}
      />
      <Button
        kind="quiet"
        size="small"
        icon="right"
        label="One event on"
        disabled={pinnedAt === null || at >= last}
        onClick={() => step(1)}
      />
      <input
        type="range"
        min={Math.min(1, last)}
        max={last}
        value={at}
        aria-label="Event"
        aria-valuetext={`event ${at} of ${last}: ${words}`}
        onChange={(changed) => travel(Number(changed.target.value))}
      />
      <span className="scrubber-text cut">
        <span className="num">
          {at} / {last}
        </span>{" "}
        {pinnedAt !== null && (
          <>
            {words} {event !== undefined && <TimeText at={event.at} />}
          </>
        )}
      </span>
      {pinnedAt === null ? (
        <span className="muted nowrap">{feed.isCaughtUp ? "newest event" : "reading events…"}</span>
      ) : (
        <Button kind="primary" size="small" onClick={() => travel(null)}>
          Back to now
        </Button>
      )}
    </div>
  );
}
