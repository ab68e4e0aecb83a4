import type { Collection, Registered, Workflow } from "../../client/index.ts";
import { api } from "./api.ts";
import { everyPage } from "./every-page.ts";
import { type Query, useQuery } from "./use-query.ts";

/** Reads all entries of a collection, the same list for every screen that shows some of them. */
export function useRegistered(collection: Collection, isWanted = true): Query<readonly Registered[]> {
  return useQuery(isWanted ? collection : null, () => everyPage((page) => api.listRegistered(collection, page)), {
    tags: [collection],
    freshMs: 2_000,
  });
}

/** Reads all workflows. */
export function useWorkflows(isWanted = true): Query<readonly Workflow[]> {
  return useQuery(isWanted ? "workflows" : null, () => everyPage((page) => api.listWorkflows(page)), {
    tags: ["workflows"],
    freshMs: 2_000,
  });
}
