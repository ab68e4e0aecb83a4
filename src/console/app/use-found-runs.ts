import { useEffect, useState } from "react";
import type { Run } from "../../client/index.ts";
import { api } from "../live/api.ts";
import { useMay } from "../live/session-store.ts";
import { useQuery } from "../live/use-query.ts";

const TYPING_MS = 250;
const LENGTH_MIN = 3;
const FOUND_MAX = 6;
const NONE: readonly Run[] = [];

/** Returns runs that match the typed words. The server is queried when the person stops typing. */
export function useFoundRuns(typed: string): readonly Run[] {
  const [asked, setAsked] = useState("");
  const mayRead = useMay("run:read");
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const isAsked = mayRead && asked.length >= LENGTH_MIN;
  const found = useQuery(
    isAsked ? `palette/found ${asked}` : null,
    () => api.listRuns({ q: asked, limit: FOUND_MAX }),
    { freshMs: 10_000 },
  ).data;
  return isAsked ? (found?.data ?? NONE) : NONE;
}
