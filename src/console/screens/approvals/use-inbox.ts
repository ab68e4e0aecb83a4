import { useEffect, useRef, useState } from "react";
import type { ApprovalsQuery, InboxItem } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useLive } from "../../live/connection.ts";
import { type Query, useQuery } from "../../live/use-query.ts";
import { withoutAnswered } from "./inbox.ts";

export interface InboxList {
  readonly items: readonly InboxItem[];
  /** Null at the end of the list. */
  readonly nextCursor: string | null;
}

interface Inbox extends Query<InboxList> {
  /** Reads the next page. Null when there is no next page, while reading, or after reading failed. */
  readonly readMore: (() => void) | null;
}

const PAGE = 100;
/** The delay after a change before the list is read again, so that several changes cause one read. */
const COLLECT_MS = 600;

/**
 * Returns the matching approvals, as many pages as were requested. A live message removes answered approvals at once.
 * Then the shown part is read again, because only the server knows which approvals match, their order and the size of
 * each group.
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
        // If the list was read again meanwhile, its end is different and this page does not fit.
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

/** Reads as many entries as are shown, at least one page. */
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
