import type { JsonObject } from "../core/base/index.ts";

/** A list of runs that a person comes back to. */
export interface ViewRecord {
  readonly id: string;
  readonly orgId: string;
  /** Who has saved it: the id of a person, or of a key. */
  readonly owner: string;
  readonly name: string;
  readonly isShared: boolean;
  readonly query: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ViewStore {
  /** New, or in place of the one with its id. */
  putView(view: ViewRecord): Promise<void>;
  /** Those of an owner, and those that are shared; by name. */
  listViews(orgId: string, owner: string): Promise<readonly ViewRecord[]>;
  getView(orgId: string, id: string): Promise<ViewRecord | undefined>;
  deleteView(orgId: string, id: string): Promise<boolean>;
}
