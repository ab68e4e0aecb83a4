import { type JSX, useEffect, useRef, useState } from "react";
import { plainText } from "../../../core/text/index.ts";
import { StatusBadge } from "../../parts/status.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import type { InboxEntry } from "./inbox.ts";

/** Height of an entry. The style sheet uses the same value. */
const ENTRY_PX = 84;
const AROUND = 10;
const DRAWN_MAX = 40;

interface ListProps {
  readonly entries: readonly InboxEntry[];
  readonly at: number;
  readonly hasMore: boolean;
  readonly onSelect: (key: string) => void;
  /** Called when the end of the list becomes visible. Null while no more entries can be read. */
  readonly onMore: (() => void) | null;
}

/** The entries of the inbox. In a very long list only the visible entries are drawn. */
export function InboxList({ entries, at, hasMore, onSelect, onMore }: ListProps): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  const height = list.current?.clientHeight ?? 800;
  const isMany = entries.length > DRAWN_MAX;
  const from = isMany ? Math.max(0, Math.floor(top / ENTRY_PX) - AROUND) : 0;
  const to = isMany ? Math.min(entries.length, from + Math.ceil(height / ENTRY_PX) + AROUND * 2) : entries.length;
  useEffect(() => {
    const element = list.current;
    if (element === null || at < 0) return;
    const start = at * ENTRY_PX;
    if (start < element.scrollTop) element.scrollTop = start;
    else if (start + ENTRY_PX > element.scrollTop + element.clientHeight)
      element.scrollTop = start + ENTRY_PX - element.clientHeight;
  }, [at]);
  const look = (): void => {
    const element = list.current;
    if (element === null) return;
    setTop(element.scrollTop - (element.scrollTop % ENTRY_PX));
    const rest = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (rest < element.clientHeight) onMore?.();
  };
  // A person who is already at the end need not scroll again when more entries can be read.
  const canRead = onMore !== null;
  useEffect(() => {
    if (canRead) look();
  }, [canRead]);
  return (
    <ul ref={list} className="inbox-list" aria-label="Approvals" onScroll={look}>
      {from > 0 && <li aria-hidden="true" style={{ height: from * ENTRY_PX }} />}
      {entries.slice(from, to).map((entry, index) => (
        <li key={entry.key}>
          <EntryButton entry={entry} isSelected={from + index === at} onSelect={() => onSelect(entry.key)} />
        </li>
      ))}
      {to < entries.length && <li aria-hidden="true" style={{ height: (entries.length - to) * ENTRY_PX }} />}
      {hasMore && <li className="muted inbox-more">More are loaded as you scroll.</li>}
    </ul>
  );
}

interface EntryProps {
  readonly entry: InboxEntry;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

function EntryButton({ entry: { item, size }, isSelected, onSelect }: EntryProps): JSX.Element {
  const { title, workflow, nodeId, status, requestedAt, expiresAt, assignee, quorum, answers } = item;
  const where = [workflow, nodeId ?? "launch"].filter((part) => part !== null).join(" / ");
  return (
    <button type="button" className="inbox-item" aria-current={isSelected || undefined} onClick={onSelect}>
      <span className="cut inbox-title">{plainText(title)}</span>
      <span className="muted cut">
        {size > 1 && <strong>{size} × </strong>}
        {where}
        {assignee !== null && ` · ${assignee}`}
        {quorum > 1 && ` · ${answers.length} of ${quorum}`}
      </span>
      <span className="inbox-foot">
        {status === "pending" ? <StatusBadge status="hold" label="Waiting" /> : <StatusBadge status={status} />}
        <span className="muted cut">
          <TimeText at={requestedAt} />
          {status === "pending" && (
            <>
              {" · expires "}
              <TimeText at={expiresAt} />
            </>
          )}
        </span>
      </span>
    </button>
  );
}
