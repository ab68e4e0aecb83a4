import { keep, read } from "../../page/preferences.ts";
import { Store } from "../../page/store.ts";

/** A choice of filters under a name. */
export interface SavedView {
  readonly name: string;
  /** As it stands in the address. */
  readonly search: string;
}

const STORED = "sluice.views.runs";

export const BUILT_IN: readonly SavedView[] = [
  { name: "All", search: "" },
  { name: "Running", search: "status=running" },
  { name: "Waiting for a person", search: "waiting_for=person" },
  { name: "Failed", search: "status=failed" },
  { name: "Timed out", search: "status=timed_out" },
];

export const savedViews = new Store<readonly SavedView[]>(readViews(read(STORED)));

export function saveView(view: SavedView): void {
  change([...savedViews.get().filter(({ name }) => name !== view.name), view]);
}

export function removeView(name: string): void {
  change(savedViews.get().filter((view) => view.name !== name));
}

function change(views: readonly SavedView[]): void {
  savedViews.set(views);
  keep(STORED, JSON.stringify(views));
}

function readViews(text: string | null): readonly SavedView[] {
  try {
    const views: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(views) ? views.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  const view = value as Partial<SavedView> | null;
  return typeof view?.name === "string" && typeof view.search === "string";
}
