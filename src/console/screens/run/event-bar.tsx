import type { JSX } from "react";
import { Button } from "../../parts/button.tsx";
import { grouped } from "../../parts/figures.ts";
import { Select } from "../../parts/select.tsx";
import { EVENT_KINDS, type EventKind } from "../../run/model/event-filter.ts";
import { useRunPage } from "./run-page.ts";
import { saveAs } from "./save-as.ts";

const MODES = ["compact", "full", "json"] as const;
export type EventMode = (typeof MODES)[number];
const MODE_LABELS: Readonly<Record<EventMode, string>> = { compact: "Compact", full: "Full", json: "JSON" };
const KIND_LABELS: Readonly<Record<EventKind, string>> = {
  all: "All events",
  problems: "Problems",
  run: "Run",
  node: "Nodes",
  gate: "Gates",
  approval: "Approvals",
  stream: "Streams",
  log: "Logs",
  cost: "Cost",
};

/** Selects the shown events and their format. */
export interface EventSelection {
  readonly mode: EventMode;
  readonly kind: EventKind;
  readonly text: string;
  readonly isOnlyNode: boolean;
  readonly isFollowed: boolean;
}

export const EVERYTHING: EventSelection = {
  mode: "compact",
  kind: "all",
  text: "",
  isOnlyNode: false,
  isFollowed: true,
};

interface EventBarProps {
  readonly selection: EventSelection;
  readonly onSelection: (selection: EventSelection) => void;
  readonly shown: number;
}

export function EventBar({ selection, onSelection, shown }: EventBarProps): JSX.Element {
  const { node } = useRunPage();
  const { mode, kind, text, isOnlyNode, isFollowed } = selection;
  return (
    <div className="events-bar">
      <div className="segments" role="group" aria-label="How events are shown">
        {MODES.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === mode}
            onClick={() => onSelection({ ...selection, mode: each })}
          >
            {MODE_LABELS[each]}
          </button>
        ))}
      </div>
      <Select
        aria-label="Which events"
        value={kind}
        options={EVENT_KINDS.map((each) => [each, KIND_LABELS[each]] as const)}
        onChange={(chosen) => onSelection({ ...selection, kind: chosen })}
      />
      <input
        type="search"
        className="events-search"
        aria-label="Search events"
        placeholder="Search events"
        value={text}
        onChange={(changed) => onSelection({ ...selection, text: changed.target.value })}
      />
      <label className="row nowrap">
        <input
          type="checkbox"
          checked={isOnlyNode}
          disabled={node === null}
          onChange={(changed) => onSelection({ ...selection, isOnlyNode: changed.target.checked })}
        />
        This node
      </label>
      <label className="row nowrap">
        <input
          type="checkbox"
          checked={isFollowed}
          onChange={(changed) => onSelection({ ...selection, isFollowed: changed.target.checked })}
        />
        Follow
      </label>
      <span className="events-shown muted num nowrap">{grouped(shown)} shown</span>
      <DownloadLog />
    </div>
  );
}

function DownloadLog(): JSX.Element {
  const { feed, run } = useRunPage();
  const save = (): void => saveAs(`${run.id}-events.json`, JSON.stringify(feed.log.frames, null, 1));
  return <Button kind="quiet" size="small" icon="download" label="Download the events as JSON" onClick={save} />;
}
