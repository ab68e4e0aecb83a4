import { useEffect, useMemo } from "react";
import type { Run } from "../../client/index.ts";
import { api } from "./api.ts";
import { cache } from "./cache.ts";
import { useLive } from "./connection.ts";
import { type Query, useQuery } from "./use-query.ts";
import { queryOf, type RunFilter, type RunList } from "./run-list.ts";
import { RunListSync } from "./run-list-sync.ts";

const PAGE = 100;
/** Interval of reads for a filter that only the server can check. The search index is at most this much behind. */
const ASKED_AGAIN_MS = 5_000;

/** Returns the first pages of the matching runs, kept current by live messages. Null when the caller may not see runs. */
export function useRunList(filter: RunFilter | null, pages = 1, pageSize = PAGE): Query<RunList> {
  const key = filter === null ? null : `runs?${JSON.stringify([filter, pages, pageSize])}`;
  const name = key ?? "";
  const sync = useMemo(
    () =>
      new RunListSync({
        filter: filter ?? {},
        pages,
        pageSize,
        current: () => cache.get(name).data as RunList | undefined,
        show: (list) => cache.patch(name, list),
        readPages: (count) => readPages(filter ?? {}, count, pageSize),
        readRun: (id) => api.getRun(id),
        refresh: () => void cache.refresh(name),
        after: (ms, run) => {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
      }),
    // The name contains the filter and the pages.
    [name], // oxlint-disable-line react-hooks/exhaustive-deps
  );
  useEffect(() => () => sync.stop(), [sync]);
  useLive((messages) => sync.take(messages));
  const every = filter?.more === undefined ? {} : { everyMs: ASKED_AGAIN_MS };
  return useQuery(key, () => sync.load(), { tags: ["run-list"], ...every });
}

async function readPages(filter: RunFilter, pages: number, limit: number): Promise<RunList> {
  const runs: Run[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const found = await api.listRuns({ ...queryOf(filter), limit, ...(cursor === undefined ? {} : { cursor }) });
    runs.push(...found.data);
    cursor = found.nextCursor;
    if (cursor === undefined) break;
  }
  return { runs, hasMore: cursor !== undefined };
}
