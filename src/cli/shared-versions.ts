import type { Store } from "../store/index.ts";

/** Younger answers stand for new ones: those who ask look again within a second or two anyway. */
const FRESH_MS = 500;

/** The store, of which several parts of a server ask every second whether anything was registered: one answer does for all of them. */
export function withSharedVersions(store: Store, now: () => number): Store {
  let last: { readonly at: number; readonly versions: ReturnType<Store["configVersions"]> } | null = null;
  return {
    ...store,
    configVersions: () => {
      const at = now();
      if (last !== null && at - last.at < FRESH_MS && at >= last.at) return last.versions;
      const versions = store.configVersions();
      last = { at, versions };
      versions.catch(() => {
        last = null;
      });
      return versions;
    },
  };
}
