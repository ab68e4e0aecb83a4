import { useCallback, useEffect, useRef, useSyncExternalStore } from "react";
import { cache } from "./cache.ts";

export interface Query<T> {
  /** Data of the last read. Undefined before the first. */
  readonly data: T | undefined;
  readonly problem: Error | null;
  readonly isLoading: boolean;
  readonly refresh: () => Promise<void>;
}

export interface QueryOptions {
  /** Subjects of the data: `runs`, `run:<id>`, `approvals`, `workflows` … Live messages invalidate by tag. */
  readonly tags?: readonly string[];
  /** Interval of reads while the page is visible, for data that no live message reports. */
  readonly everyMs?: number;
  /** Age up to which data is shown without another read. */
  readonly freshMs?: number;
}

/** Reads data from the API and keeps it current. `key` identifies the request. With null, nothing is read. */
export function useQuery<T>(key: string | null, load: () => Promise<T>, options: QueryOptions = {}): Query<T> {
  const name = key ?? "";
  const { tags = [], everyMs, freshMs } = options;
  const newest = useRef(load);
  newest.current = load;
  const tagText = tags.join(" ");
  const entry = useSyncExternalStore(
    useCallback((listener) => cache.subscribe(name, listener), [name]),
    () => cache.get(name),
  );
  useEffect(() => {
    if (key === null) return undefined;
    const read = (): void => cache.want(key, () => newest.current(), tagText === "" ? [] : tagText.split(" "), freshMs);
    read();
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void cache.refresh(key);
    }, everyMs);
    return () => clearInterval(timer);
  }, [key, tagText, everyMs, freshMs]);
  return {
    data: entry.data as T | undefined,
    problem: entry.problem,
    isLoading: entry.isLoading,
    refresh: useCallback(() => cache.refresh(name), [name]),
  };
}
