import { ReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import {
  type JSX,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type Grouped, groupGraph, type Layout } from "../../core/graph/layout/index.ts";
import { Store } from "../page/store.ts";
import { Button } from "../parts/button.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { type NodeElement, EDGE_TYPES, elementsOf, type EdgeElement, NODE_TYPES } from "./elements.tsx";
import { Backdrop, useIsFar } from "./backdrop.tsx";
import { CARD } from "./card.ts";
import { DraggedLineView } from "./card-editing.tsx";
import { CurrentGraph, type GraphContext } from "./graph-context.ts";
import { type DraggedLine, Editing, type GraphEditing, useEditing } from "./graph-editing.ts";
import { type GraphNode, type GraphSource, NO_SOURCE } from "./graph-node.ts";
import { type Frame, framesOf, type Inside } from "./inside.ts";
import { GroupNote } from "./group-note.tsx";
import { MiniMap } from "./mini-map.tsx";
import { useLayout } from "./use-layout.ts";
import { usePaneSize } from "./use-pane-size.ts";
import { type GraphViewport, useViewport } from "./use-viewport.ts";
import { boxAt, type Size, textsAt, textZoom, type Viewport, ZOOM_MAX, ZOOM_MIN } from "./viewport.ts";
import { isArrow, walk } from "./walk.ts";
import "./graph.css";
import "./graph-editing.css";

const EDGES_MOVING_MAX = 200;
const MAP_FROM = 12;
/** In a lower pane the map would cover what it is a map of. */
const MAP_HEIGHT_MIN = 280;
/** Limits of page elements. Above the first, only visible cards are elements. Above the second, edges are drawn on the canvas. */
const CARDS_MAX = 60;
const LINES_MAX = 200;

export interface PlanGraphProps {
  readonly nodes: readonly GraphNode[];
  /** States of the nodes. Absent for a plan that is not run. */
  readonly source?: GraphSource;
  readonly selected: string | null;
  /** Called with the selected node, or with null for the empty canvas. */
  readonly onSelect: (nodeId: string | null) => void;
  /** Groups and `for_each` nodes whose content is shown. */
  readonly open: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
  readonly direction?: "right" | "down";
  readonly label?: string;
  /** Content of the open blocks, by key: the id of the node, and inside a block `node/step`. */
  readonly insides?: ReadonlyMap<string, Inside>;
  /** Opens a step inside a block, by the run of the block. */
  readonly onOpenInside?: (runId: string, nodeId: string) => void;
  /** Set when the graph can be edited. */
  readonly editing?: GraphEditing | null;
}

const NO_INSIDES: ReadonlyMap<string, Inside> = new Map();
const DO_NOTHING = (): void => undefined;

/** The graph of a plan, in layers. Arrow keys move along edges, Enter opens. */
export function PlanGraph(props: PlanGraphProps): JSX.Element {
  const { nodes, source = NO_SOURCE, selected, onSelect, open, onToggle, direction = "right", label = "Graph" } = props;
  const grouped = useMemo(() => groupGraph(nodes, { open }), [nodes, open]);
  const { insides = NO_INSIDES, onOpenInside = DO_NOTHING, editing = null } = props;
  const frames = useMemo(() => framesOf(insides, open, direction), [insides, open, direction]);
  const layout = useLayout(grouped, direction, frames);
  const box = useRef<HTMLDivElement>(null);
  const pane = usePaneSize(box);
  const view = useViewport(layout, pane);
  useTextZoom(box, view.now);
  const toggle = (id: string): void => {
    const group = [...grouped.vertices, ...grouped.opened].find((each) => each.id === id);
    // For a nested block, the outermost card that contains it keeps its place.
    view.hold([id.split("/", 1)[0] ?? id, ...(group?.kind === "group" ? group.members : [])]);
    onToggle(id);
  };
  const context = useGraphContext(toggle, source, grouped, { frames, direction, onOpenInside });
  const shown = selected === null ? null : (grouped.vertexOf.get(selected) ?? (editing === null ? null : selected));
  const reveal = useRef(view.reveal);
  reveal.current = view.reveal;
  useEffect(() => {
    context.selected.set(shown);
    context.cursor.set(null);
  }, [context, shown]);
  useEffect(() => {
    // For a step inside a block, the outermost card that contains it is scrolled into view.
    if (view.opening !== null && shown !== null) reveal.current(shown.split("/", 1)[0] ?? shown);
  }, [view.opening, shown]);
  const act = (id: string): void => {
    if (grouped.vertices.some((vertex) => vertex.id === id && vertex.kind === "group")) toggle(id);
    else onSelect(id);
  };
  const keys = useWalking({ box, layout, grouped, direction, source, context, reveal: view.reveal, act, onSelect });
  return (
    <CurrentGraph value={context}>
      <div
        ref={box}
        className={`graph ${grouped.vertices.length > 100 ? "is-many" : ""}`}
        data-direction={direction}
        role="group"
        aria-label={`${label}: ${nodes.length} nodes. Arrow keys move along edges, Enter opens.`}
        tabIndex={0}
        onKeyDown={keys.onKey}
      >
        {layout === null || view.opening === null ? (
          <Skeleton lines={3} height={CARD.height} />
        ) : (
          <>
            <Editing value={editing}>
              <Canvas {...{ nodes, grouped, layout, direction, source, pane, view, act, onSelect }} />
            </Editing>
            {editing !== null && <DraggedLineView drag={context.drag} />}
            {grouped.vertices.length >= MAP_FROM && pane.height >= MAP_HEIGHT_MIN && (
              <MiniMap {...{ layout, grouped, source, pane }} viewport={view.now} onGo={view.goTo} />
            )}
          </>
        )}
        {grouped.by !== null && <GroupNote grouped={grouped} count={nodes.length} onToggle={toggle} />}
        <span className="hidden-text" aria-live="polite">
          {keys.announcement}
        </span>
      </div>
    </CurrentGraph>
  );
}

/** Sets the zoom as a style variable, so that card texts grow when the graph is zoomed out and stay readable. */
function useTextZoom(box: RefObject<HTMLDivElement | null>, now: Store<Viewport>): void {
  useEffect(() => {
    const show = (): void => {
      const step = textZoom(now.get().zoom);
      const { style, dataset } = box.current ?? {};
      if (style === undefined || dataset === undefined || dataset["zoom"] === String(step)) return;
      dataset["zoom"] = String(step);
      style.setProperty("--zoom", String(step));
      dataset["texts"] = textsAt(step);
    };
    show();
    return now.subscribe(show);
  }, [box, now]);
}

interface Shown {
  readonly frames: ReadonlyMap<string, Frame>;
  readonly direction: "right" | "down";
  readonly onOpenInside: (runId: string, nodeId: string) => void;
}

function useGraphContext(
  toggle: (id: string) => void,
  source: GraphSource,
  grouped: Grouped,
  { frames, direction, onOpenInside }: Shown,
): GraphContext {
  const stores = useMemo(
    () => ({
      selected: new Store<string | null>(null),
      cursor: new Store<string | null>(null),
      drag: new Store<DraggedLine | null>(null),
    }),
    [],
  );
  const isMoving = grouped.edges.length <= EDGES_MOVING_MAX;
  const newest = useRef(toggle);
  newest.current = toggle;
  return useMemo(
    () => ({
      source,
      ...stores,
      onToggle: (id: string) => newest.current(id),
      isMoving,
      frames,
      direction,
      at: null,
      onOpenInside,
    }),
    [source, stores, isMoving, frames, direction, onOpenInside],
  );
}

interface CanvasProps {
  readonly nodes: readonly GraphNode[];
  readonly grouped: Grouped;
  readonly layout: Layout;
  readonly direction: "right" | "down";
  readonly source: GraphSource;
  readonly pane: Size;
  readonly view: GraphViewport;
  readonly act: (id: string) => void;
  readonly onSelect: (id: string | null) => void;
}

const NO_CARDS: NodeElement[] = [];
const NO_LINES: EdgeElement[] = [];

function Canvas(props: CanvasProps): JSX.Element {
  const { nodes, grouped, layout, direction, source, pane, view, act, onSelect } = props;
  const isAway = useIsFar(layout, view.now, pane);
  const editing = useEditing();
  const elements = useMemo(() => elementsOf(nodes, grouped, layout, direction), [nodes, grouped, layout, direction]);
  const hasLines = layout.edges.length <= LINES_MAX && !isAway;
  const [cards, lines] = [isAway ? NO_CARDS : elements.cards, hasLines ? elements.lines : NO_LINES];
  const choose = (event: MouseEvent): void => {
    const box = isAway ? event.currentTarget.getBoundingClientRect() : null;
    const at = box && boxAt(layout.nodes, view.now.get(), event.clientX - box.left, event.clientY - box.top);
    if (at === null) onSelect(null);
    else act(at.id);
  };
  return (
    <>
      {!hasLines && <Backdrop {...{ direction, layout, grouped, source, pane }} viewport={view.now} isFar={isAway} />}
      <ReactFlow<NodeElement, EdgeElement>
        nodes={cards}
        edges={lines}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        {...(view.opening === null ? {} : { defaultViewport: view.opening })}
        onInit={view.onInit}
        onMove={view.onMove}
        minZoom={ZOOM_MIN}
        maxZoom={ZOOM_MAX}
        onlyRenderVisibleElements={layout.nodes.length > CARDS_MAX}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        zoomOnDoubleClick={false}
        panOnScroll
        proOptions={{ hideAttribution: true }}
        onNodeClick={(event, { id }) => {
          if (editing !== null && event.shiftKey) editing.onPick(id, true);
          else act(id);
        }}
        onPaneClick={choose}
      />
      <div className="graph-tools">
        <Button kind="quiet" size="small" icon="plus" label="Zoom in" onClick={() => view.zoomBy(1.3)} />
        <Button kind="quiet" size="small" icon="minus" label="Zoom out" onClick={() => view.zoomBy(1 / 1.3)} />
        <Button kind="quiet" size="small" icon="fit" label="Show the whole graph" onClick={view.showAll} />
      </div>
    </>
  );
}

interface Walking {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly layout: Layout | null;
  readonly grouped: Grouped;
  readonly direction: "right" | "down";
  readonly source: GraphSource;
  readonly context: GraphContext;
  readonly reveal: (id: string) => void;
  readonly act: (id: string) => void;
  readonly onSelect: (id: string | null) => void;
}

/** Arrow keys move a visible cursor that screen readers announce. Enter has the same effect as a click. */
function useWalking(given: Walking): { readonly onKey: (event: KeyboardEvent) => void; readonly announcement: string } {
  const { box, layout, grouped, direction, source, context, reveal, act, onSelect } = given;
  const [announcement, announce] = useState("");
  const onKey = (event: KeyboardEvent): void => {
    if (layout === null || event.target !== box.current) return;
    const cursor = context.cursor.get() ?? context.selected.get();
    if (isArrow(event.key)) {
      event.preventDefault();
      const next = walk(layout, cursor, event.key, direction);
      if (next === null) return;
      context.cursor.set(next);
      reveal(next);
      announce(announcementOf(next, grouped, source));
    } else if ((event.key === "Enter" || event.key === " ") && cursor !== null) {
      event.preventDefault();
      act(cursor);
    } else if (event.key === "Escape") onSelect(null);
  };
  return { onKey, announcement };
}

function announcementOf(id: string, { vertices }: Grouped, source: GraphSource): string {
  const vertex = vertices.find((each) => each.id === id);
  if (vertex?.kind === "group") return `${vertex.label}, ${vertex.members.length} nodes`;
  const view = source.node(id);
  return view === undefined ? id : `${view.title}, ${view.status.replaceAll("_", " ")}`;
}
