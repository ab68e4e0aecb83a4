import type { ApprovalsQuery, InboxItem } from "../../../client/index.ts";
import { APPROVAL_SOURCES } from "../../../core/event/index.ts";
import type { SearchParams } from "../../page/router.tsx";
import type { FeedMessage } from "../../live/hub.ts";

/** A line of the inbox: one approval, or a group of approvals that differ only in their args, represented by the first of them. */
export interface InboxEntry {
  /** Key for the address, parsed by `readKey`. */
  readonly key: string;
  readonly item: InboxItem;
  readonly size: number;
}

const GROUP = "group:";

/** Parses the selection in the address: an approval by its id, a group, or one approval of a group. */
export function readKey(key: string): { readonly group: string | null; readonly id: string | null } {
  if (!key.startsWith(GROUP)) return { group: null, id: key };
  const [group = "", id = null] = key.slice(GROUP.length).split(":");
  return { group, id };
}

export function groupKey(group: string, id?: string): string {
  return id === undefined ? `${GROUP}${group}` : `${GROUP}${group}:${id}`;
}

export function entriesOf(items: readonly InboxItem[]): readonly InboxEntry[] {
  return items.map((item) => {
    const size = item.groupSize ?? 1;
    return { key: size > 1 && item.group !== null ? groupKey(item.group) : item.id, item, size };
  });
}

/** Checks whether the entry is selected or belongs to the selected group. A group of which one is left is a single approval. */
export function isSelected({ item }: InboxEntry, selected: string): boolean {
  const { group, id } = readKey(selected);
  return group === null ? item.id === id : item.group === group && item.status === "pending";
}

/** Returns the position of the selection. After its entry has left, the entry that moved into its place is selected. */
export function placeOf(entries: readonly InboxEntry[], selected: string | null, before: number): number {
  const found = selected === null ? -1 : entries.findIndex((entry) => isSelected(entry, selected));
  return found === -1 ? Math.max(0, Math.min(before, entries.length - 1)) : found;
}

/** Returns the filters in the address. A filter that is not set restricts nothing. */
export function filterOf({ get }: Pick<SearchParams, "get">): ApprovalsQuery {
  const isDone = get("show") === "answered";
  const source = APPROVAL_SOURCES.find((each) => each === get("source"));
  const texts = Object.fromEntries(
    (["workflow", "assignee", "older_than", "q"] as const).flatMap((name) => {
      const text = get(name);
      return text === null ? [] : [[name, text]];
    }),
  );
  return {
    ...(isDone ? { status: "closed", order: "newest" } : { status: "pending", order: "expiring", grouped: "true" }),
    ...(source === undefined ? {} : { source }),
    ...(get("mine") === "true" && !isDone ? { mine: "true" } : {}),
    ...texts,
  };
}

export const FILTERS = ["workflow", "source", "assignee", "older_than", "q", "mine"] as const;

/** Returns the list without approvals answered meanwhile. A message contains all pending approvals of its run. */
export function withoutAnswered(items: readonly InboxItem[], messages: readonly FeedMessage[]): readonly InboxItem[] {
  const pending = new Map(
    messages.flatMap((one) => (one.type === "approval" ? [[one.runId, one.pending] as const] : [])),
  );
  // A group whose first approval was answered may still contain others.
  const isLeft = ({ id, runId, status, groupSize }: InboxItem): boolean =>
    status !== "pending" || (groupSize ?? 1) > 1 || (pending.get(runId)?.includes(id) ?? true);
  const left = items.filter(isLeft);
  return left.length === items.length ? items : left;
}
