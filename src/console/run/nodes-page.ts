import { createContext, useCallback, useContext, useMemo, useSyncExternalStore } from "react";
import type { RunView } from "../../client/index.ts";
import type { NodeView } from "../../core/view/index.ts";
import type { GraphNode } from "../graph/graph-node.ts";
import { useNow } from "../parts/ticker.ts";
import type { OpenBlock } from "./model/open-block.ts";
import type { RunFeed } from "./model/run-feed.ts";

/** What the parts share that show the nodes of a run: one of the server, or one that runs in the page. */
export interface NodesPage {
  readonly feed: RunFeed;
  /** In plan order. */
  readonly nodes: readonly GraphNode[];
  readonly hasPlan: boolean;
  readonly node: string | null;
  readonly selectNode: (nodeId: string | null) => void;
  readonly open: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  /** What can be shown of blocks; absent: nothing. */
  readonly inside?: {
    /** Those that are open, by key: the id of the node, below it `node/step`. */
    readonly blocks: ReadonlyMap<string, OpenBlock>;
    /** Goes to a step inside a block, by the run of the block. */
    readonly openStep: (runId: string, nodeId: string) => void;
  };
}

export const CurrentNodes = createContext<NodesPage | null>(null);

export function useNodesPage(): NodesPage {
  const page = useContext(CurrentNodes);
  if (page === null) throw new TypeError("nodes are shown on a page that has some");
  return page;
}

/** The shown view of the run. The component is drawn again a few times a second while it changes. */
export function useRunView(): RunView {
  const { feed } = useNodesPage();
  useSyncExternalStore(feed.onLists, feed.version);
  return feed.shown;
}

/** The time the page shows: that of the pinned event, otherwise now. */
export function useShownNow(): number {
  const { feed } = useNodesPage();
  useSyncExternalStore(feed.onLists, feed.version);
  const now = useNow();
  return feed.shownAt() ?? now;
}

/** Every node with its instances, in plan order. */
export function useNodeViews(): readonly NodeView[] {
  const { nodes } = useNodesPage();
  const view = useRunView();
  return useMemo(
    () => nodes.flatMap(({ id, instances }) => [id, ...instances]).flatMap((id) => view.nodes.get(id) ?? []),
    // The view is changed in place; its last event shows whether it has.
    [nodes, view, view.lastEventId], // oxlint-disable-line react-hooks/exhaustive-deps
  );
}

const NO_NODES: readonly string[] = [];

/** One node; the component is drawn again only when it has changed. */
export function useNodeView(id: string | null): NodeView | undefined {
  const { feed } = useNodesPage();
  return useNodeOf(feed, id);
}

/** The same of any run, such as that of a block. */
export function useNodeOf(feed: RunFeed, id: string | null): NodeView | undefined {
  const subscribe = useCallback(
    (listener: () => void) => feed.onNodes(listener, id === null ? NO_NODES : [id]),
    [feed, id],
  );
  return useSyncExternalStore(subscribe, () => (id === null ? undefined : feed.node(id)));
}
