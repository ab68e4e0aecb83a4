import { createContext, useCallback, useContext, useSyncExternalStore } from "react";
import type { Store } from "../page/store.ts";

/** What is wrong with a step, shown at its card. */
export interface CardMark {
  readonly tone: "bad" | "warn";
  readonly text: string;
  readonly count: number;
}

/** What a canvas on which people draw can do. Cards are named by key: the id, inside a block `holder/id`. */
export interface GraphEditing {
  readonly marks: Store<ReadonlyMap<string, CardMark>>;
  /** Cards that are selected together. */
  readonly picked: Store<ReadonlySet<string>>;
  readonly onPick: (key: string, isMore: boolean) => void;
  /** A line was drawn from one card to another. */
  readonly onConnect: (from: string, to: string) => void;
  /** A new step is wanted behind a card; the place is where to ask which. */
  readonly onAddAfter: (key: string, place: DOMRect) => void;
  readonly onInsert: (from: string, to: string, place: DOMRect) => void;
}

/** A line a person is drawing, in pixels of the window. */
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
