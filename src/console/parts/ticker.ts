import { Store, useStore } from "../page/store.ts";

/** One timer for every clock on the page. */
const now = new Store(Date.now());
setInterval(() => {
  if (document.visibilityState === "visible") now.set(Date.now());
}, 1_000);

/** The time, updated every second. */
export function useNow(): number {
  return useStore(now);
}
