import { type DragEvent, type JSX, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { keyAt } from "../../../graph/card-editing.tsx";
import type { CardMark, GraphEditing } from "../../../graph/graph-editing.ts";
import { PlanGraph } from "../../../graph/plan-graph.tsx";
import { Store } from "../../../page/store.ts";
import { Empty } from "../../../parts/empty.tsx";
import { Skeleton } from "../../../parts/skeleton.tsx";
import { toast } from "../../../parts/toast.tsx";
import { useWidth } from "../../../parts/use-width.ts";
import { addTo, connecting, insertBetween } from "./adding.ts";
import { canvasActions, type CanvasActions, CanvasTools } from "./canvas-tools.tsx";
import type { DrawnStep } from "./drawing.ts";
import { DRAG_TYPE, PaletteMenu, PaletteView } from "./palette-view.tsx";
import { marksOf, type PlacedProblem } from "./placed-problems.ts";
import { PALETTE, type PaletteEntry } from "./step-palette.ts";
import type { WorkflowDocument } from "./use-workflow-document.ts";
import "./draw.css";

interface WorkflowCanvasProps {
  readonly name: string;
  readonly document: WorkflowDocument;
  readonly problems: readonly PlacedProblem[];
}

type Asking =
  | { readonly kind: "after"; readonly key: string; readonly place: DOMRect }
  | { readonly kind: "between"; readonly from: string; readonly to: string; readonly place: DOMRect };

/** Layers go down in a narrower pane, as on a screen of 1440 pixels: beside each other, few of them would fit. */
const NARROW = 700;

/** The canvas: a drawing of the same document as the text. */
export function WorkflowCanvas({ name, document: doc, problems }: WorkflowCanvasProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const isNarrow = useWidth(box, NARROW) < NARROW;
  const [asking, ask] = useState<Asking | null>(null);
  const { drawing, selected, outline } = doc;
  const { editing, cards } = usePicking(doc, problems, ask);
  const add = (entry: PaletteEntry, card: DrawnStep | null): void => {
    if (outline !== null) doc.edit(addTo(card, outline.main, entry.step));
  };
  const take = (entry: PaletteEntry): void => {
    if (asking === null || drawing === null) return;
    if (asking.kind === "after") return add(entry, drawing.byKey.get(asking.key) ?? null);
    const edit = insertBetween(drawing, asking.from, asking.to, entry.step);
    if (edit !== null) doc.edit(edit);
  };
  const actions = canvasActions(doc, cards);
  return (
    <div className="draw has-palette">
      <PaletteView isDisabled={doc.isReadOnly || outline === null} onTake={(entry) => add(entry, selected)} />
      <div
        ref={box}
        className="draw-pane"
        onKeyDown={(event) => onKey(event, doc, actions)}
        onDragOver={(event) => {
          if (event.dataTransfer.types.includes(DRAG_TYPE)) event.preventDefault();
        }}
        onDrop={(event) => drop(event, doc, add)}
      >
        <CanvasTools document={doc} cards={cards} actions={actions} />
        {drawing !== null && drawing.nodes.length > 0 ? (
          <PlanGraph
            nodes={drawing.nodes}
            source={drawing.source}
            insides={drawing.insides}
            selected={selected?.key ?? null}
            onSelect={(key) => (key === null ? editing.onPick("", false) : editing.onPick(key, false))}
            open={doc.opened}
            onToggle={doc.toggle}
            direction={isNarrow ? "down" : "right"}
            label={`Canvas of ${name}`}
            editing={doc.isReadOnly ? null : editing}
          />
        ) : (
          <EmptyCanvas isUnread={drawing === null} isBroken={problems.length > 0} />
        )}
      </div>
      {asking !== null && (
        <PaletteMenu
          title={asking.kind === "after" ? "Add a step" : "Insert a step"}
          place={asking.place}
          onTake={take}
          onClose={() => ask(null)}
        />
      )}
    </div>
  );
}

interface EmptyCanvasProps {
  readonly isUnread: boolean;
  readonly isBroken: boolean;
}

function EmptyCanvas({ isUnread, isBroken }: EmptyCanvasProps): JSX.Element {
  // The text has not been checked yet.
  if (isUnread && !isBroken) return <Skeleton lines={6} height={32} />;
  if (isUnread) {
    return (
      <Empty icon="workflow" title="No steps to draw yet">
        Fix the problems of the text, and the steps appear here.
      </Empty>
    );
  }
  return (
    <Empty icon="plus" title="Add the first step">
      Click a kind of step, or drag it here.
    </Empty>
  );
}

/** Selects one card by click and several with Shift. Returns the callbacks of the canvas. */
function usePicking(
  doc: WorkflowDocument,
  problems: readonly PlacedProblem[],
  ask: (asking: Asking) => void,
): { readonly editing: GraphEditing; readonly cards: readonly DrawnStep[] } {
  const [more, setMore] = useState<ReadonlySet<string>>(new Set());
  const newest = useRef(doc);
  newest.current = doc;
  const stores = useMemo(
    () => ({
      marks: new Store<ReadonlyMap<string, CardMark>>(new Map()),
      picked: new Store<ReadonlySet<string>>(new Set()),
    }),
    [],
  );
  useEffect(() => stores.marks.set(marksOf(problems)), [stores, problems]);
  useEffect(() => stores.picked.set(more), [stores, more]);
  const editing = useMemo((): GraphEditing => {
    const pick = (key: string, isMore: boolean): void => {
      const { selected, select } = newest.current;
      if (!isMore) {
        setMore(new Set());
        return select(key === "" ? null : key);
      }
      setMore((before) => {
        const next = new Set(before.size === 0 && selected !== null ? [selected.key] : before);
        if (!next.delete(key)) next.add(key);
        return next;
      });
      return undefined;
    };
    return {
      ...stores,
      onPick: pick,
      onConnect: (from, to) => {
        const { drawing, edit } = newest.current;
        const wanted = drawing === null ? "Nothing is drawn yet." : connecting(drawing, from, to);
        if (typeof wanted === "string") toast(wanted, "bad");
        else edit(wanted);
      },
      onAddAfter: (key, place) => {
        pick(key, false);
        ask({ kind: "after", key, place });
      },
      onInsert: (from, to, place) => ask({ kind: "between", from, to, place }),
    };
  }, [stores, ask]);
  const keys = more.size > 0 ? [...more] : doc.selected === null ? [] : [doc.selected.key];
  const cards = keys.flatMap((key) => doc.drawing?.byKey.get(key) ?? []);
  return { editing, cards };
}

function onKey(event: KeyboardEvent, doc: WorkflowDocument, actions: CanvasActions): void {
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
  const isMod = event.metaKey || event.ctrlKey;
  const key = event.key.toLowerCase();
  if (isMod && key === "z") (event.shiftKey ? doc.redo : doc.undo)();
  else if (isMod && key === "y") doc.redo();
  else if (isMod && key === "c") actions.copy();
  else if (isMod && key === "v") actions.paste();
  else if (isMod && key === "g") actions.group();
  else if (!isMod && (key === "delete" || key === "backspace")) actions.remove();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Drops a palette entry: on a line between its cards, on a card into or after it, elsewhere as a separate step. */
function drop(
  event: DragEvent,
  doc: WorkflowDocument,
  add: (entry: PaletteEntry, card: DrawnStep | null) => void,
): void {
  const entry = PALETTE.find(({ id }) => id === event.dataTransfer.getData(DRAG_TYPE));
  if (entry === undefined || doc.outline === null) return;
  event.preventDefault();
  const { clientX, clientY } = event;
  const line = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-edge]")?.dataset["edge"];
  const [from, to] = line === undefined ? [] : (JSON.parse(line) as readonly string[]);
  const between =
    from === undefined || to === undefined || doc.drawing === null
      ? null
      : insertBetween(doc.drawing, from, to, entry.step);
  const key = keyAt(clientX, clientY);
  if (between !== null) doc.edit(between);
  else if (key !== null) add(entry, doc.drawing?.byKey.get(key) ?? null);
  else doc.edit({ kind: "add", list: doc.outline.main.path, after: null, step: entry.step });
}
