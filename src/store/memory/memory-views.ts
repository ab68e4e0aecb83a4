import { compareCodeUnits } from "../../core/base/index.ts";
import type { ViewStore } from "../view-store.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

export function memoryViews({ views }: MemoryWorld): ViewStore {
  return {
    putView: async (view) => {
      const key = keyOf(view.orgId, view.id);
      const { owner, createdAt } = views.get(key) ?? view;
      views.set(key, copy({ ...view, owner, createdAt }));
    },
    listViews: async (orgId, owner) =>
      [...views.values()]
        .filter((view) => view.orgId === orgId && (view.owner === owner || view.isShared))
        .sort((left, right) => compareCodeUnits(left.name, right.name) || compareCodeUnits(left.id, right.id))
        .map(copy),
    getView: async (orgId, id) => {
      const view = views.get(keyOf(orgId, id));
      return view === undefined ? undefined : copy(view);
    },
    deleteView: async (orgId, id) => views.delete(keyOf(orgId, id)),
  };
}
