import type { SavedView } from "../../../client/index.ts";
import { queryOf } from "../../live/run-list.ts";
import { filterOf } from "./run-filters.ts";

/** A named set of filters, as stored in the address. */
export interface NamedView {
  readonly name: string;
  readonly search: string;
}

export const BUILT_IN: readonly NamedView[] = [
  { name: "All", search: "" },
  { name: "Running", search: "status=running" },
  { name: "Waiting for a person", search: "waiting_for=person" },
  { name: "Failed", search: "status=failed" },
  { name: "Timed out", search: "status=timed_out" },
];

/** The address of a saved view. */
export function searchOf({ query }: Pick<SavedView, "query">): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) params.set(name, [value].flat().join(","));
  return params.toString();
}

/** Returns the query to save for a view: the filters of the address, in the form of the API. */
export function viewQuery(search: string): SavedView["query"] {
  const params = new URLSearchParams(search);
  const query: Record<string, string | number | string[]> = {};
  for (const [name, value] of Object.entries(queryOf(filterOf((each) => params.get(each))))) {
    if (value !== undefined) query[name] = typeof value === "object" ? [...value] : value;
  }
  return query;
}
