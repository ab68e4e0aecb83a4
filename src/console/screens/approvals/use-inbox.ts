import { useEffect, useRef } from "react";
import type { ApprovalsQuery, InboxItem } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useLive } from "../../live/connection.ts";
import { type Query, useQuery } from "../../live/use-query.ts";
import { patchItems } from "./inbox.ts";

export interface InboxList {
  readonly items: readonly InboxItem[];
  readonly hasMore: boolean;
}

const PAGE = 100;
/** New approvals are collected for this long before the list is read again. */
const COLLECT_MS = 600;

/**
 * The first pages of the approvals that match. Answered ones leave at once by live messages; the pages are read again when
 * there are new ones, because only the server knows whether they match and where they stand.
 */
export function useInbox(filter: ApprovalsQuery, pages: number): Query<InboxList> {
  const key = `inbox?${JSON.stringify([filter, pages])}`;
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [key],
  );
  useLive((messages) => {
    const list = cache.get(key).data as InboxList | undefined;
    if (list === undefined) return;
    const { items, hasNew } = patchItems(list.items, messages);
    if (items !== list.items && filter.status === "pending") cache.patch(key, { ...list, items });
    const mustRead = hasNew || filter.status !== "pending" || (list.hasMore && items.length < (PAGE * pages) / 2);
    if (!mustRead) return;
    timer.current ??= setTimeout(() => {
      timer.current = null;
      void cache.refresh(key);
    }, COLLECT_MS);
  });
  return useQuery(key, () => readPages(filter, pages), { tags: ["approval-list"] });
}

async function readPages(filter: ApprovalsQuery, pages: number): Promise<InboxList> {
  const items: InboxItem[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const found = await api.listApprovals({ ...filter, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...found.data);
    cursor = found.nextCursor;
    if (cursor === undefined) break;
  }
  return { items, hasMore: cursor !== undefined };
}
