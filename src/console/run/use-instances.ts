import { useMemo, useSyncExternalStore } from "react";
import { instancesOf } from "./model/instances-of.ts";
import type { RunFeed } from "./model/run-feed.ts";

/** Returns the instances of each `for_each` node, in order. The map stays the same object until an instance is added. */
export function useInstances(feed: RunFeed): ReadonlyMap<string, readonly string[]> {
  useSyncExternalStore(feed.onLists, feed.version);
  // Instances are only ever added, so their number shows whether there are new ones. The newest view is used, so that
  // the graph keeps its shape while an earlier event is shown.
  const { nodes } = feed.newest;
  const count = nodes.size;
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => instancesOf(nodes.values()), [nodes, count]);
}
