import { type JSX, memo, useMemo, useState } from "react";
import { grouped } from "../../parts/figures.ts";
import { Select } from "../../parts/select.tsx";
import { OffsetText } from "../../parts/time-text.tsx";
import { LOG_LEVELS, type LogLevel, type LogLine, messageOf } from "../../run/model/log-lines.ts";
import { plainText } from "../../../core/text/index.ts";
import { useRunView } from "../../run/nodes-page.ts";
import { EventDetail } from "./event-detail.tsx";
import { useRunPage } from "./run-page.ts";
import { useRows } from "./use-rows.ts";
import "./event-pane.css";
import "./log-pane.css";

const ROW_PX = 24;
const LEVEL_OPTIONS: readonly (readonly [LogLevel, string])[] = [
  ["debug", "All levels"],
  ["info", "Info and above"],
  ["warning", "Warnings and errors"],
  ["error", "Errors"],
];

/** The log lines and events of all nodes in one list, which grows with the run. */
export function LogPane(): JSX.Element {
  const { feed, event } = useRunPage();
  useRunView();
  const [least, setLeast] = useState<LogLevel>("info");
  const [text, setText] = useState("");
  const [isFollowed, setFollowed] = useState(true);
  const { logLines } = feed.facts;
  const lines = useMemo(
    () => [...logLines.matching(least, text)],
    [logLines, least, text, logLines.all.length], // oxlint-disable-line react-hooks/exhaustive-deps
  );
  const list = useRows(lines.length, ROW_PX, isFollowed && event === null);
  return (
    <div className="events">
      <div className="events-bar" role="search" aria-label="Filter the log">
        <Select
          aria-label="Minimum level"
          value={least}
          options={LEVEL_OPTIONS}
          onChange={(level) => setLeast(LOG_LEVELS.find((each) => each === level) ?? "debug")}
        />
        <input
          type="search"
          className="events-search"
          aria-label="Search the log"
          placeholder="Search the log"
          value={text}
          onChange={(changed) => setText(changed.target.value)}
        />
        <label className="row nowrap">
          <input type="checkbox" checked={isFollowed} onChange={(changed) => setFollowed(changed.target.checked)} />
          Follow
        </label>
        <span className="events-shown muted num nowrap">
          {grouped(lines.length)} of {grouped(logLines.all.length)}
        </span>
      </div>
      <div className="events-body">
        <div className="events-box log-box" ref={list.box} role="log" aria-label="Log of the run" tabIndex={0}>
          <div style={{ height: list.before }} />
          {lines.slice(list.from, list.to).map((line) => (
            <Line key={line.eventId} line={line} isSelected={line.eventId === event} />
          ))}
          <div style={{ height: list.after }} />
          {lines.length === 0 && (
            <p className="muted events-none">{logLines.all.length === 0 ? "Reading the log …" : "No results"}</p>
          )}
        </div>
        {event !== null && <EventDetail eventId={event} groupEventIds={[]} />}
      </div>
    </div>
  );
}

interface LineProps {
  readonly line: LogLine;
  readonly isSelected: boolean;
}

const Line = memo(function Line({ line: { eventId, level, event }, isSelected }: LineProps): JSX.Element {
  const { feed, selectEvent, selectNode } = useRunPage();
  const nodeId = "nodeId" in event.payload ? event.payload.nodeId : null;
  const choose = (): void => {
    selectEvent(eventId);
    if (nodeId !== null) selectNode(nodeId);
  };
  const message = plainText(messageOf(event));
  return (
    <div
      className={`log-line log-line-${level} ${isSelected ? "is-selected" : ""}`}
      style={{ height: ROW_PX }}
      onClick={choose}
    >
      <span className="event-time">
        <OffsetText at={event.at} from={feed.log.timeline.startedAt ?? event.at} />
      </span>
      <span className="log-line-level">{level}</span>
      <span className="log-line-node cut">{nodeId ?? ""}</span>
      <button type="button" className="log-line-text cut" title={message} onClick={choose}>
        {message}
      </button>
    </div>
  );
});
