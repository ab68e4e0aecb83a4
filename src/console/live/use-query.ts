import { useCallback, useEffect, useRef, useSyncExternalStore } from "react";
import { cache } from "./cache.ts";

export interface Query<T> {
  /** What was read last; undefined before the first time. */
  readonly data: T | undefined;
  readonly problem: Error | null;
  readonly isLoading: boolean;
  readonly refresh: () => Promise<void>;
}

export interface QueryOptions {
  /** What it is about: `runs`, `run:<id>`, `approvals`, `workflows` … Live messages invalidate by these. */
  readonly tags?: readonly string[];
  /** Read again in this interval while the page is visible, for what no live message reports. */
  readonly everyMs?: number;
  /** How old it may be and still be shown without reading it again. */
  readonly freshMs?: number;
}

/** Reads something of the API and keeps it current. `key` names the request; null reads nothing. */
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
