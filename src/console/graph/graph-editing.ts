import { createContext, useCallback, useContext, useSyncExternalStore } from "react";
import type { Store } from "../page/store.ts";

/** Problems of a step, shown at its card. */
export interface CardMark {
  readonly tone: "bad" | "warn";
  readonly text: string;
  readonly count: number;
}

/** Actions on a canvas for editing. Cards are named by key: the id, or `holder/id` inside a block. */
export interface GraphEditing {
  readonly marks: Store<ReadonlyMap<string, CardMark>>;
  /** Keys of the cards that are selected together. */
  readonly picked: Store<ReadonlySet<string>>;
  readonly onPick: (key: string, isMore: boolean) => void;
  /** Called when a line was drawn from one card to another. */
  readonly onConnect: (from: string, to: string) => void;
  /** Called to add a step after a card. The place is the position for the menu of steps. */
  readonly onAddAfter: (key: string, place: DOMRect) => void;
  readonly onInsert: (from: string, to: string, place: DOMRect) => void;
}

/** A line that is being dragged, in pixels of the window. */
export interface DraggedLine {
  readonly from: { readonly x: number; readonly y: number };
  readonly to: { readonly x: number; readonly y: number };
}

export const Editing = createContext<GraphEditing | null>(null);

export function useEditing(): GraphEditing | null {
  return useContext(Editing);
}

const SILENT = (): (() => void) => () => undefined;

export function useMark(key: string): CardMark | undefined {
  const editing = useEditing();
  return useSyncExternalStore(editing?.marks.subscribe ?? SILENT, () => editing?.marks.get().get(key));
}

export function useIsPicked(key: string): boolean {
  const editing = useEditing();
  const read = useCallback(() => editing?.picked.get().has(key) ?? false, [editing, key]);
  return useSyncExternalStore(editing?.picked.subscribe ?? SILENT, read);
}
