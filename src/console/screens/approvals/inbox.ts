import type { ApprovalsQuery, InboxItem } from "../../../client/index.ts";
import { APPROVAL_SOURCES } from "../../../core/event/index.ts";
import type { SearchParams } from "../../page/router.tsx";
import type { FeedMessage } from "../../live/hub.ts";

/** A line of the inbox: one approval, or several that differ in nothing but their args. */
export interface InboxEntry {
  /** Of the address: the id of the approval, or `group:` and the group. */
  readonly key: string;
  readonly items: readonly [InboxItem, ...InboxItem[]];
}

const GROUP = "group:";

export function groupOfKey(key: string): string | null {
  return key.startsWith(GROUP) ? key.slice(GROUP.length) : null;
}

/** Groups stand where their first approval stands. Answered ones are not grouped: each has its own answer. */
export function entriesOf(items: readonly InboxItem[]): readonly InboxEntry[] {
  const groups = new Map<string, InboxItem[]>();
  for (const item of items) {
    if (item.group === null || item.status !== "pending") continue;
    groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  }
  const done = new Set<string>();
  return items.flatMap((item): readonly InboxEntry[] => {
    const [first, ...others] = groups.get(item.group ?? "") ?? [];
    if (first === undefined || others.length === 0) return [{ key: item.id, items: [item] }];
    if (done.has(item.group ?? "")) return [];
    done.add(item.group ?? "");
    return [{ key: `${GROUP}${item.group}`, items: [first, ...others] }];
  });
}

/** Where the selection is. After its entry has left, whatever moved into its place is selected. */
export function placeOf(entries: readonly InboxEntry[], selected: string | null, before: number): number {
  const found = entries.findIndex(({ key, items }) => key === selected || items.some(({ id }) => id === selected));
  return found === -1 ? Math.max(0, Math.min(before, entries.length - 1)) : found;
}

/** The filters of the address; those that are not set restrict nothing. */
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
    ...(isDone ? { status: "closed", order: "newest" } : { status: "pending", order: "expiring" }),
    ...(source === undefined ? {} : { source }),
    ...(get("mine") === "true" && !isDone ? { mine: "true" } : {}),
    ...texts,
  };
}

export const FILTERS = ["workflow", "source", "assignee", "older_than", "q", "mine"] as const;

/**
 * The list without approvals that were answered in the meantime, and whether there are new ones that it may have to show.
 * A message names all approvals of its run that wait.
 */
export function patchItems(
  items: readonly InboxItem[],
  messages: readonly FeedMessage[],
): { readonly items: readonly InboxItem[]; readonly hasNew: boolean } {
  let left = items;
  let hasNew = false;
  for (const message of messages) {
    if (message.type !== "approval") continue;
    const { runId, pending } = message;
    left = left.filter((item) => item.runId !== runId || item.status !== "pending" || pending.includes(item.id));
    hasNew ||= pending.some((id) => !items.some((item) => item.id === id));
  }
  return { items: left.length === items.length ? items : left, hasNew };
}
