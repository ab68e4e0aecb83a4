import { type JSX, type PointerEvent, useRef } from "react";
import { type Store, useStore } from "../page/store.ts";
import { Icon } from "../parts/icon.tsx";
import { type DraggedLine, type GraphEditing, useEditing, useMark } from "./graph-editing.ts";

/** Shows the number of problems of a step. The problems themselves are in the tooltip and in the form. */
export function ProblemMark({ id }: { readonly id: string }): JSX.Element | null {
  const mark = useMark(id);
  if (mark === undefined) return null;
  return (
    <span className={`graph-mark text-${mark.tone}`} title={mark.text}>
      <Icon name="warn" size={13} />
      {mark.count > 1 && <span className="num">{mark.count}</span>}
      <span className="hidden-text">
        {mark.tone === "bad" ? "problem" : "warning"}: {mark.text}
      </span>
    </span>
  );
}

/** Movement in pixels from which a press counts as drawing a line. */
const DRAG_MIN = 6;

/** Start of lines. Dragging to another card connects the two. Clicking adds the next step. */
export function Port({
  id,
  drag,
}: {
  readonly id: string;
  readonly drag: Store<DraggedLine | null>;
}): JSX.Element | null {
  const editing = useEditing();
  const from = useRef<{ readonly x: number; readonly y: number } | null>(null);
  if (editing === null) return null;
  const move = (event: PointerEvent): void => {
    if (from.current === null) return;
    drag.set({ from: from.current, to: { x: event.clientX, y: event.clientY } });
  };
  return (
    <button
      type="button"
      tabIndex={-1}
      className="graph-port nodrag nopan"
      title="Click to add the next step, or drag to a step to connect them"
      aria-label={`Add a step after ${id}`}
      onClick={(event) => event.stopPropagation()}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, y: event.clientY };
      }}
      onPointerMove={move}
      onPointerUp={(event) => {
        const start = from.current;
        from.current = null;
        drag.set(null);
        if (start !== null) end(editing, id, start, event);
      }}
      onPointerCancel={() => {
        from.current = null;
        drag.set(null);
      }}
    >
      <Icon name="plus" size={11} />
    </button>
  );
}

function end(
  editing: GraphEditing,
  id: string,
  start: { readonly x: number; readonly y: number },
  event: PointerEvent,
): void {
  const { clientX, clientY, currentTarget } = event;
  if (Math.hypot(clientX - start.x, clientY - start.y) < DRAG_MIN) {
    editing.onAddAfter(id, currentTarget.getBoundingClientRect());
    return;
  }
  const target = keyAt(clientX, clientY);
  if (target === null) editing.onAddAfter(id, new DOMRect(clientX, clientY, 0, 0));
  else if (target !== id) editing.onConnect(id, target);
}

/** Returns the key of the card at a point of the screen. */
export function keyAt(x: number, y: number): string | null {
  const card = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-key]");
  return card?.dataset["key"] ?? null;
}

/** Draws the line that is being dragged, above everything else. */
export function DraggedLineView({ drag }: { readonly drag: Store<DraggedLine | null> }): JSX.Element | null {
  const line = useStore(drag);
  if (line === null) return null;
  const { from, to } = line;
  return (
    <svg className="graph-drag" aria-hidden="true">
      <path d={`M${from.x} ${from.y}L${to.x} ${to.y}`} />
      <circle cx={to.x} cy={to.y} r={4} />
    </svg>
  );
}
