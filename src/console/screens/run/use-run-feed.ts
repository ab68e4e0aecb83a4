import { useEffect, useState } from "react";
import type { Frame } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { asError } from "../../page/use-action.ts";
import { watchRun } from "../../live/connection.ts";
import { RunFeed, startOfState } from "../../run/model/run-feed.ts";
import { PACE } from "../../run/pace.ts";

const PAGE = 1_000;
const PAGES_AT_ONCE = 3;

export interface FeedState {
  readonly feed: RunFeed | null;
  readonly problem: Error | null;
}

/**
 * Reads a run: first its state, which is shown at once, then its past events page by page, then new events as they
 * arrive. A new value of `again` reads everything again.
 */
export function useRunFeed(runId: string, again: number): FeedState {
  const [state, setState] = useState<FeedState>({ feed: null, problem: null });
  useEffect(() => {
    setState({ feed: null, problem: null });
    return followRun(
      runId,
      (feed) => setState({ feed, problem: null }),
      (problem) => setState((before) => ({ ...before, problem })),
    );
  }, [runId, again]);
  return state;
}

/** Follows a run without a component. `onFeed` receives the feed when there is something to show. Returns a function that stops it. */
export function followRun(
  runId: string,
  onFeed: (feed: RunFeed) => void,
  onProblem: (problem: Error) => void,
): () => void {
  let isOver = false;
  let stop: (() => void) | null = null;
  const read = async (): Promise<void> => {
    // Both requests are sent together. The state alone is enough to show the run.
    const first = api.listEvents(runId, { limit: PAGE }).catch(asError);
    const now = await api.getState(runId);
    if (isOver) return;
    const feed = new RunFeed(startOfState(now), PACE);
    onFeed(feed);
    const page = await first;
    if (page instanceof Error) throw page;
    if (isOver) return;
    feed.take(page.data);
    const last = await readRest(runId, page.data.at(-1)?.eventId ?? 0, now.lastEventId, (frames) => {
      if (!isOver) feed.take(frames);
    });
    if (!isOver) stop = watchRun(runId, last, (frames) => feed.take(frames));
  };
  read().catch((thrown: unknown) => {
    if (!isOver) onProblem(asError(thrown));
  });
  return () => {
    isOver = true;
    stop?.();
  };
}

/** Reads pages up to an event. Several are requested at once and passed on in order. Returns the last event that was read. */
async function readRest(
  runId: string,
  from: number,
  to: number,
  take: (frames: readonly Frame[]) => void,
): Promise<number> {
  let last = from;
  while (last < to) {
    const starts = Array.from({ length: PAGES_AT_ONCE }, (_, index) => last + index * PAGE).filter((at) => at < to);
    const pages = await Promise.all(starts.map((afterEventId) => api.listEvents(runId, { afterEventId, limit: PAGE })));
    const before = last;
    for (const { data } of pages) {
      take(data);
      last = data.at(-1)?.eventId ?? last;
    }
    // Prevents an endless loop when the log is shorter than announced.
    if (last === before) break;
  }
  return last;
}
