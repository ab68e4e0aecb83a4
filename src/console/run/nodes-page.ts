import { createContext, useCallback, useContext, useMemo, useSyncExternalStore } from "react";
import type { RunView } from "../../client/index.ts";
import type { NodeView } from "../../core/view/index.ts";
import type { GraphNode } from "../graph/graph-node.ts";
import { useNow } from "../parts/ticker.ts";
import type { OpenBlock } from "./model/open-block.ts";
import type { RunFeed } from "./model/run-feed.ts";

/** State shared by all parts that show the nodes of a run. The run is one of the server or one executed in the page. */
export interface NodesPage {
  readonly feed: RunFeed;
  /** In plan order. */
  readonly nodes: readonly GraphNode[];
  readonly hasPlan: boolean;
  readonly node: string | null;
  readonly selectNode: (nodeId: string | null) => void;
  readonly open: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  /** The blocks that can be opened. Absent when the page shows none. */
  readonly inside?: {
    /** The open blocks by key: the id of the node, and for a block inside it `node/step`. */
    readonly blocks: ReadonlyMap<string, OpenBlock>;
    /** Opens a step inside a block. `runId` is the run of the block. */
    readonly openStep: (runId: string, nodeId: string) => void;
  };
}

export const CurrentNodes = createContext<NodesPage | null>(null);

export function useNodesPage(): NodesPage {
  const page = useContext(CurrentNodes);
  if (page === null) throw new TypeError("nodes are shown on a page that has some");
  return page;
}

/** Returns the shown view of the run. While the view changes, the component is drawn again a few times a second. */
export function useRunView(): RunView {
  const { feed } = useNodesPage();
  useSyncExternalStore(feed.onLists, feed.version);
  return feed.shown;
}

/** Returns the time the page shows: the time of the pinned event, otherwise now. */
export function useShownNow(): number {
  const { feed } = useNodesPage();
  useSyncExternalStore(feed.onLists, feed.version);
  const now = useNow();
  return feed.shownAt() ?? now;
}

/** Returns every node with its instances, in plan order. */
export function useNodeViews(): readonly NodeView[] {
  const { nodes } = useNodesPage();
  const view = useRunView();
  return useMemo(
    () => nodes.flatMap(({ id, instances }) => [id, ...instances]).flatMap((id) => view.nodes.get(id) ?? []),
    // The view is changed in place, so a new last event is the sign of a change.
    [nodes, view, view.lastEventId], // oxlint-disable-line react-hooks/exhaustive-deps
  );
}

const NO_NODES: readonly string[] = [];

/** Returns one node. The component is drawn again only when this node has changed. */
export function useNodeView(id: string | null): NodeView | undefined {
  const { feed } = useNodesPage();
  return useNodeOf(feed, id);
}

/** Same as `useNodeView`, for any run, for example the run of a block. */
export function useNodeOf(feed: RunFeed, id: string | null): NodeView | undefined {
  const subscribe = useCallback(
    (listener: () => void) => feed.onNodes(listener, id === null ? NO_NODES : [id]),
    [feed, id],
  );
  return useSyncExternalStore(subscribe, () => (id === null ? undefined : feed.node(id)));
}
