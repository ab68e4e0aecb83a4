import type { JsonObject } from "../core/base/index.ts";

/** A saved list of runs. */
export interface ViewRecord {
  readonly id: string;
  readonly orgId: string;
  /** Id of the person or key that saved it. */
  readonly owner: string;
  readonly name: string;
  readonly isShared: boolean;
  readonly query: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ViewStore {
  /** Adds a view, or replaces the one with its id. */
  putView(view: ViewRecord): Promise<void>;
  /** Returns the views of an owner and the shared ones, by name. */
  listViews(orgId: string, owner: string): Promise<readonly ViewRecord[]>;
  getView(orgId: string, id: string): Promise<ViewRecord | undefined>;
  deleteView(orgId: string, id: string): Promise<boolean>;
}
