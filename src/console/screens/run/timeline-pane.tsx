import { type JSX, memo, useEffect, useMemo, useState } from "react";
import { plainText } from "../../../core/text/index.ts";
import { usePaneSize } from "../../graph/use-pane-size.ts";
import { Button } from "../../parts/button.tsx";
import { spanText } from "../../parts/figures.ts";
import { Icon } from "../../parts/icon.tsx";
import { nodeLook, StatusIcon } from "../../parts/status.tsx";
import { useNow } from "../../parts/ticker.ts";
import { type Span, type SpanKind, totalsOf } from "../../run/model/timeline.ts";
import { type NestedRow, nestedRows } from "../../run/model/nested-rows.ts";
import { ticksOf } from "../../run/model/timeline-rows.ts";
import { useNodeOf, useRunView } from "../../run/nodes-page.ts";
import { useRunPage } from "./run-page.ts";
import { useRows } from "./use-rows.ts";
import "./timeline-pane.css";

const ROW_PX = 26;
const NAMES_PX = 220;
const TICK_PX = 90;
const SECOND = 1_000;
const KIND_LABELS: Readonly<Record<SpanKind, string>> = {
  dependency: "waits for nodes",
  gate: "waits for gates",
  approval: "waits for a person",
  pause: "waits for its time or an event",
  execution: "works",
  backoff: "pauses before another attempt",
};

/** No tick beyond this position, because its text would not fit before the right edge. */
const LAST_TICK = 0.96;
/** Legend by the CSS classes of a bar, so that its colours equal those of the bars. */
const LEGEND: readonly (readonly [classes: string, text: string])[] = [
  ["span-execution span-completed", "Completed"],
  ["span-execution span-failed", "Failed"],
  ["span-execution span-timed_out", "Timed out"],
  ["span-execution span-cancelled", "Cancelled"],
  ["span-execution", "Running"],
  ["span-approval", "Waiting for a person"],
  ["span-gate", "Waiting for gates"],
  ["span-pause", "Waiting for a time or an event"],
  ["span-dependency", "Waiting for nodes"],
  ["span-backoff", "Retry delay"],
];

function classesOf({ kind, outcome }: Span): string {
  return outcome === null || kind !== "execution" ? `span-${kind}` : `span-${kind} span-${outcome}`;
}

function shownOf(spans: readonly Span[], hasWaits: boolean): readonly Span[] {
  return hasWaits ? spans : spans.filter(({ kind }) => kind === "execution");
}

interface Scale {
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

/** Shows how the time of a run was spent, node by node. */
export function TimelinePane(): JSX.Element {
  const view = useRunView();
  const { feed, nodes, open, inside, node: selected } = useRunPage();
  const { blocks } = inside;
  const [zoom, setZoom] = useState(1);
  const [hasWaits, setWaits] = useState(true);
  const scale = useScale();
  const { timeline } = feed.facts;
  const { begunCount } = timeline;
  const begunInside = [...blocks.values()].reduce((sum, block) => sum + block.feed.facts.timeline.begunCount, 0);
  const rows = useMemo(
    () => nestedRows(feed, nodes, open, blocks),
    [feed, nodes, open, blocks, timeline, begunCount, begunInside], // oxlint-disable-line react-hooks/exhaustive-deps
  );
  const list = useRows(rows.length, ROW_PX);
  const pane = usePaneSize(list.box);
  const { scrollTo } = list;
  const at = useMemo(() => (selected === null ? -1 : rows.findIndex(({ key }) => key === selected)), [rows, selected]);
  // Rows may change their order. That must not scroll the list when the person has scrolled away.
  useEffect(() => scrollTo(at), [selected, at < 0]); // oxlint-disable-line react-hooks/exhaustive-deps
  const inSight = rows
    .slice(list.from, list.to)
    .map((row) => ({ row, spans: row.feed.facts.timeline.spansOf(row.id) }));
  const drawn = new Set(inSight.flatMap(({ spans }) => shownOf(spans, hasWaits).map(classesOf)));
  const length = scale.to - scale.from;
  const mark = feed.shownAt();
  return (
    <div className="timeline">
      <TimelineBar drawn={drawn} hasWaits={hasWaits} onWaits={setWaits} zoom={zoom} onZoom={setZoom} />
      <div
        className="timeline-box"
        ref={list.box}
        role="table"
        aria-label="Timeline"
        aria-rowcount={rows.length}
        tabIndex={0}
      >
        <div className="timeline-inner" style={{ width: `${zoom * 100}%` }}>
          <TimelineHead lengthMs={length} ticks={Math.max(2, Math.floor((pane.width - NAMES_PX) / TICK_PX)) * zoom} />
          <div style={{ height: list.before }} />
          {inSight.map(({ row, spans }) => (
            <Row
              key={row.key}
              row={row}
              spans={spans}
              scale={scale}
              isSelected={row.key === selected}
              hasWaits={hasWaits}
            />
          ))}
          <div style={{ height: list.after }} />
          {mark !== null && length > 0 && (
            <div className="timeline-mark-area" aria-hidden="true">
              <span className="timeline-mark" style={{ left: `${((mark - scale.from) / length) * 100}%` }} />
            </div>
          )}
        </div>
      </div>
      {view.nodes.size === 0 && <p className="muted">This run has no nodes yet.</p>}
    </div>
  );
}

interface TimelineBarProps {
  /** CSS classes of the visible bars. The legend explains only these. */
  readonly drawn: ReadonlySet<string>;
  readonly hasWaits: boolean;
  readonly onWaits: (hasWaits: boolean) => void;
  readonly zoom: number;
  readonly onZoom: (zoom: number) => void;
}

function TimelineBar({ drawn, hasWaits, onWaits, zoom, onZoom }: TimelineBarProps): JSX.Element {
  return (
    <div className="timeline-bar">
      <ul className="timeline-legend" aria-label="Legend">
        {LEGEND.filter(([classes]) => drawn.has(classes)).map(([classes, word]) => (
          <li key={word}>
            <span className={`span ${classes}`} aria-hidden="true" /> {word}
          </li>
        ))}
      </ul>
      <label className="row nowrap timeline-waits">
        <input type="checkbox" checked={!hasWaits} onChange={() => onWaits(!hasWaits)} />
        Hide waits
      </label>
      <div className="row timeline-zoom">
        <Button
          kind="quiet"
          size="small"
          icon="minus"
          label="Shorter"
          disabled={zoom <= 1}
          onClick={() => onZoom(zoom / 2)}
        />
        <span className="num muted">{zoom}×</span>
        <Button
          kind="quiet"
          size="small"
          icon="plus"
          label="Longer"
          disabled={zoom >= 64}
          onClick={() => onZoom(zoom * 2)}
        />
      </div>
    </div>
  );
}

function TimelineHead({ lengthMs, ticks }: { readonly lengthMs: number; readonly ticks: number }): JSX.Element {
  return (
    <div className="timeline-head" role="row">
      <div className="timeline-name" role="columnheader">
        Node
      </div>
      <div className="timeline-track" role="columnheader" aria-label="Time">
        {ticksOf(lengthMs * LAST_TICK, ticks).map((tick) => (
          <span key={tick} className="timeline-tick num" style={{ left: `${(tick / Math.max(1, lengthMs)) * 100}%` }}>
            {spanText(tick)}
          </span>
        ))}
      </div>
    </div>
  );
}

/**
 * While the run is active, the scale ends at the next full second, otherwise every bar would change with every event.
 * At an earlier event the bars end at that event, but the scale is still that of the whole run, so that the drawing
 * does not move.
 */
function useScale(): Scale {
  const { feed, run } = useRunPage();
  useRunView();
  const tick = useNow();
  const { timeline } = feed.log;
  const { newest } = feed;
  const from = timeline.startedAt ?? newest.startedAt ?? Date.parse(run.startedAt ?? run.createdAt);
  const last = Math.max(newest.endedAt ?? tick, timeline.lastAt ?? from, from + 1);
  const to = newest.endedAt === null ? Math.ceil(last / SECOND) * SECOND : last;
  const now = feed.shownAt() ?? newest.endedAt ?? tick;
  return useMemo(() => ({ from, to, now }), [from, to, now]);
}

interface RowProps {
  readonly row: NestedRow;
  /** A new list object when the spans have changed. */
  readonly spans: readonly Span[];
  readonly scale: Scale;
  readonly isSelected: boolean;
  readonly hasWaits: boolean;
}

const Row = memo(function Row({ row, spans, scale, isSelected, hasWaits }: RowProps): JSX.Element {
  const { selectNode, toggle, inside } = useRunPage();
  const node = useNodeOf(row.feed, row.id);
  const show = (): void => (row.runId === null ? selectNode(row.id) : inside.openStep(row.runId, row.id));
  const { waitedMs, workedMs } = totalsOf(spans, scale.now);
  const label = plainText(node?.title ?? row.id);
  const look = node === undefined ? "pending" : nodeLook(node);
  return (
    <div
      className={`timeline-row ${isSelected ? "is-selected" : ""} ${look === "upstream_failure" ? "is-muted" : ""}`}
      role="row"
      style={{ height: ROW_PX }}
    >
      <div className="timeline-name" role="rowheader" style={{ paddingLeft: 8 + row.depth * 16 }}>
        {row.instances.length > 0 && (
          <button
            type="button"
            className="timeline-toggle"
            aria-expanded={row.isOpen}
            aria-label={`${row.instances.length} instances of ${label}`}
            onClick={() => toggle(row.key)}
          >
            <Icon name={row.isOpen ? "down" : "right"} size={12} />
          </button>
        )}
        {row.hasBlock && row.instances.length === 0 && (
          <button
            type="button"
            className="timeline-toggle"
            aria-expanded={row.isBlockOpen}
            aria-label={`Steps inside ${label}`}
            onClick={() => toggle(row.key)}
          >
            <Icon name={row.isBlockOpen ? "down" : "right"} size={12} />
          </button>
        )}
        <StatusIcon status={look} size={13} />
        <button type="button" className="timeline-link cut" title={label} onClick={show}>
          {label}
        </button>
        {node !== undefined && node.failedInstances > 0 && (
          <span className="text-bad num nowrap">{node.failedInstances} failed</span>
        )}
      </div>
      <div className="timeline-track" role="cell" onClick={show}>
        <span className="hidden-text">{`waited ${spanText(waitedMs)}, worked ${spanText(workedMs)}`}</span>
        {shownOf(spans, hasWaits).map((span) => (
          <Bar key={`${span.kind} ${span.from}`} span={span} scale={scale} />
        ))}
      </div>
    </div>
  );
});

function Bar({ span, scale }: { readonly span: Span; readonly scale: Scale }): JSX.Element {
  const { kind, from, to, attempt, outcome } = span;
  const length = scale.to - scale.from;
  const end = to ?? Math.max(from, scale.now);
  const words = [
    attempt === null ? KIND_LABELS[kind] : `attempt ${attempt}`,
    spanText(end - from),
    outcome ?? (to === null ? "now" : ""),
  ];
  return (
    <span
      className={`span ${classesOf(span)} ${to === null ? "is-open" : ""}`}
      style={{ left: `${((from - scale.from) / length) * 100}%`, width: `${((end - from) / length) * 100}%` }}
      title={words.filter((word) => word !== "").join(" · ")}
    />
  );
}
