import { useMemo, useSyncExternalStore } from "react";
import { instancesOf } from "./model/instances-of.ts";
import type { RunFeed } from "./model/run-feed.ts";

/** The instances of each `for_each` node, in order. The map is the same as long as there are no more of them. */
export function useInstances(feed: RunFeed): ReadonlyMap<string, readonly string[]> {
  useSyncExternalStore(feed.onLists, feed.version);
  // Instances are only ever added, so their number shows whether there are new ones.
  // The graph keeps its shape while an earlier event is looked at.
  const { nodes } = feed.newest;
  const count = nodes.size;
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => instancesOf(nodes.values()), [nodes, count]);
}
