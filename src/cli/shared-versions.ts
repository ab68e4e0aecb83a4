import type { Store } from "../store/index.ts";

/** Maximum age of a reused answer. Callers query again within a second or two, so a slightly old answer is harmless. */
const FRESH_MS = 500;

/** Wraps the store so that parts of the server that poll for registry changes every second share one query. */
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
