import { useMemo, useSyncExternalStore } from "react";
import type { RunFeed } from "./model/run-feed.ts";

/** The instances of each `for_each` node, in order. The map is the same as long as there are no more of them. */
export function useInstances(feed: RunFeed): ReadonlyMap<string, readonly string[]> {
  useSyncExternalStore(feed.onLists, feed.version);
  // Instances are only ever added, so their number shows whether there are new ones.
  // The graph keeps its shape while an earlier event is looked at.
  const { nodes } = feed.newest;
  const count = nodes.size;
  return useMemo(() => {
    const instances = new Map<string, { readonly id: string; readonly element: number }[]>();
    for (const { id, instance } of nodes.values()) {
      if (instance === null) continue;
      const siblings = instances.get(instance.parent);
      if (siblings === undefined) instances.set(instance.parent, [{ id, element: instance.element }]);
      else siblings.push({ id, element: instance.element });
    }
    return new Map(
      [...instances].map(([parent, list]) => [
        parent,
        list.sort((left, right) => left.element - right.element).map(({ id }) => id),
      ]),
    );
  }, [nodes, count]);
}
