import { useEffect, useRef, useState } from "react";
import type { ApprovalsQuery, InboxItem } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useLive } from "../../live/connection.ts";
import { type Query, useQuery } from "../../live/use-query.ts";
import { withoutAnswered } from "./inbox.ts";

export interface InboxList {
  readonly items: readonly InboxItem[];
  /** Null: this is all there is. */
  readonly nextCursor: string | null;
}

interface Inbox extends Query<InboxList> {
  /** Reads the next page; null while there is none, something is being read, or reading failed. */
  readonly readMore: (() => void) | null;
}

const PAGE = 100;
/** Changes are collected for this long before the list is read again. */
const COLLECT_MS = 600;

/**
 * The approvals that match, as far as they were wanted. Answered ones leave at once by live messages; then what is shown
 * is read again, because only the server knows what matches, where it stands, and how many a group has.
 */
export function useInbox(filter: ApprovalsQuery): Inbox {
  const key = `inbox?${JSON.stringify(filter)}`;
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const [isReading, setReading] = useState(false);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [key],
  );
  useLive((messages) => {
    const list = listOf(key);
    if (list === undefined || !messages.some(({ type }) => type === "approval")) return;
    const items = withoutAnswered(list.items, messages);
    if (items !== list.items) cache.patch(key, { ...list, items });
    timer.current ??= setTimeout(() => {
      timer.current = null;
      void cache.refresh(key);
    }, COLLECT_MS);
  });
  const query = useQuery(key, () => readShown(filter, listOf(key)), { tags: ["approval-list"] });
  const cursor = query.data?.nextCursor ?? null;
  const canRead = cursor !== null && !isReading && !query.isLoading && query.problem === null;
  const readMore = (): void => {
    setReading(true);
    void readPage(filter, cursor)
      .then((page) => {
        const now = listOf(key);
        // What was read again meanwhile has another end.
        if (now?.nextCursor === cursor) cache.patch(key, { ...page, items: [...now.items, ...page.items] });
      })
      .catch(() => cache.refresh(key))
      .finally(() => setReading(false));
  };
  return { ...query, readMore: canRead ? readMore : null };
}

function listOf(key: string): InboxList | undefined {
  return cache.get(key).data as InboxList | undefined;
}

/** As much as is shown, at least a page. */
async function readShown(filter: ApprovalsQuery, shown: InboxList | undefined): Promise<InboxList> {
  let list = await readPage(filter, null);
  while (list.nextCursor !== null && list.items.length < (shown?.items.length ?? 0)) {
    const page = await readPage(filter, list.nextCursor);
    list = { ...page, items: [...list.items, ...page.items] };
  }
  return list;
}

async function readPage(filter: ApprovalsQuery, cursor: string | null): Promise<InboxList> {
  const found = await api.listApprovals({ ...filter, limit: PAGE, ...(cursor === null ? {} : { cursor }) });
  return { items: found.data, nextCursor: found.nextCursor ?? null };
}
