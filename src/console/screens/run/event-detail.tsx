import type { JSX } from "react";
import { Link } from "../../page/router.tsx";
import { useMay } from "../../live/session-store.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { detailOf, lookOfEvent } from "../../run/model/event-text.ts";
import { plainText } from "../../../core/text/index.ts";
import { excerptOf } from "../../run/model/excerpt.ts";
import { useRequestAction } from "./run-action.ts";
import { useRunPage } from "./run-page.ts";

interface EventDetailProps {
  readonly eventId: number;
  /** The events of the same group, when the log is compact. */
  readonly groupEventIds: readonly number[];
}

/** One event, with the actions available from it. */
export function EventDetail({ eventId, groupEventIds }: EventDetailProps): JSX.Element | null {
  const { feed, selectEvent, travel } = useRunPage();
  const mayExecute = useMay("workflow:execute");
  const request = useRequestAction();
  const event = feed.log.events[eventId - 1];
  const frame = feed.log.frames[eventId - 1];
  if (event === undefined) return <aside className="event-aside muted">Event {eventId} is not read yet.</aside>;
  return (
    <aside className="event-aside" aria-label={`Event ${eventId}`}>
      <div className="spread">
        <h2>
          {eventId} · {lookOfEvent(event).label}
        </h2>
        <Button kind="quiet" size="small" icon="cross" label="Close the event" onClick={() => selectEvent(null)} />
      </div>
      <p className="muted">
        <code>{event.type}</code> · <TimeText at={event.at} />
      </p>
      {"childRunId" in event.payload && typeof event.payload.childRunId === "string" && (
        <p>
          <Link to={`/runs/${encodeURIComponent(event.payload.childRunId)}`}>Open the child run</Link>
        </p>
      )}
      <div className="row">
        <Button size="small" icon="clock" onClick={() => travel(eventId)}>
          Show the run at this event
        </Button>
        {mayExecute && (
          <>
            <Button size="small" icon="undo" onClick={() => request({ kind: "rewind", eventId })}>
              Rewind to here
            </Button>
            <Button size="small" icon="workflow" onClick={() => request({ kind: "branch", eventId })}>
              Branch from here
            </Button>
          </>
        )}
      </div>
      {groupEventIds.length > 1 && (
        <ol className="event-story">
          {groupEventIds.slice(0, STORY_MAX).map((id) => {
            const each = feed.log.events[id - 1];
            if (each === undefined) return null;
            return (
              <li key={id}>
                <button type="button" aria-current={id === eventId || undefined} onClick={() => selectEvent(id)}>
                  <span className="num">{id}</span> {lookOfEvent(each).label}{" "}
                  <span className="muted">{plainText(detailOf(each))}</span>
                </button>
              </li>
            );
          })}
          {groupEventIds.length > STORY_MAX && <li className="muted">and {groupEventIds.length - STORY_MAX} more</li>}
        </ol>
      )}
      <CodeBlock
        label={`Event ${eventId} as JSON`}
        isWrapped
        text={excerptOf(JSON.stringify(frame, null, 2), "start").text}
      />
    </aside>
  );
}

const STORY_MAX = 60;
