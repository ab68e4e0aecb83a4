import { createContext, useCallback, useContext, useSyncExternalStore } from "react";
import type { NodeView } from "../../core/view/index.ts";
import { Store } from "../page/store.ts";
import type { DraggedLine } from "./graph-editing.ts";
import { type GraphSource, NO_SOURCE } from "./graph-node.ts";
import type { Frame } from "./inside.ts";

export interface GraphContext {
  readonly source: GraphSource;
  /** The selected vertex, and the vertex of the keyboard cursor. */
  readonly selected: Store<string | null>;
  readonly cursor: Store<string | null>;
  /** Opens or closes a group or the instances of a node. */
  readonly onToggle: (id: string) => void;
  readonly isMoving: boolean;
  readonly direction: "right" | "down";
  /** The blocks that are open, by key. */
  readonly frames: ReadonlyMap<string, Frame>;
  /** Key of the block that contains these nodes. Null for the graph itself. */
  readonly at: string | null;
  /** Opens a step inside a block that was clicked, by the run of the block. */
  readonly onOpenInside: (runId: string, nodeId: string) => void;
  /** The line that is being dragged, on a canvas for editing. */
  readonly drag: Store<DraggedLine | null>;
}

const NO_GRAPH: GraphContext = {
  source: NO_SOURCE,
  selected: new Store<string | null>(null),
  cursor: new Store<string | null>(null),
  onToggle: () => undefined,
  isMoving: false,
  direction: "right",
  frames: new Map(),
  at: null,
  onOpenInside: () => undefined,
  drag: new Store<DraggedLine | null>(null),
};

export const CurrentGraph = createContext<GraphContext>(NO_GRAPH);

export function useGraph(): GraphContext {
  return useContext(CurrentGraph);
}

/** Returns a node of the run. The component is drawn again only when this node changes. */
export function useNode(id: string): NodeView | undefined {
  const { source } = useGraph();
  const subscribe = useCallback((listener: () => void) => source.onNodes(listener, [id]), [source, id]);
  return useSyncExternalStore(subscribe, () => source.node(id));
}

/** Returns a value computed from some nodes. The component is drawn again only when the value changes. */
export function useNodesValue<T extends string | number>(ids: readonly string[], read: (source: GraphSource) => T): T {
  const { source } = useGraph();
  const subscribe = useCallback((listener: () => void) => source.onNodes(listener, ids), [source, ids]);
  return useSyncExternalStore(subscribe, () => read(source));
}

export function useIs(store: Store<string | null>, id: string): boolean {
  return useSyncExternalStore(store.subscribe, () => store.get() === id);
}
