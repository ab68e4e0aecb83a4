import { useEffect, useMemo } from "react";
import type { Run } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useLive } from "../../live/connection.ts";
import { type Query, useQuery } from "../../live/use-query.ts";
import type { RunFilter, RunList } from "./run-list.ts";
import { RunListSync } from "./run-list-sync.ts";

const PAGE = 100;

/** The first pages of the runs that match, kept current by live messages. */
export function useRunList(filter: RunFilter, pages: number): Query<RunList> {
  const key = `runs?${JSON.stringify([filter, pages])}`;
  const sync = useMemo(
    () =>
      new RunListSync({
        filter,
        pages,
        pageSize: PAGE,
        current: () => cache.get(key).data as RunList | undefined,
        show: (list) => cache.patch(key, list),
        readPages: (count) => readPages(filter, count),
        readRun: (id) => api.getRun(id),
        refresh: () => void cache.refresh(key),
        after: (ms, run) => {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
      }),
    // The key holds the filter and the pages.
    [key], // oxlint-disable-line react-hooks/exhaustive-deps
  );
  useEffect(() => () => sync.stop(), [sync]);
  useLive((messages) => sync.take(messages));
  return useQuery(key, () => sync.load(), { tags: ["run-list"] });
}

async function readPages(filter: RunFilter, pages: number): Promise<RunList> {
  const runs: Run[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const found = await api.listRuns({ ...filter, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    runs.push(...found.data);
    cursor = found.nextCursor;
    if (cursor === undefined) break;
  }
  return { runs, hasMore: cursor !== undefined };
}
