import { Store, useStore } from "../page/store.ts";

/** The single timer for all clocks on the page. */
const now = new Store(Date.now());
setInterval(() => {
  if (document.visibilityState === "visible") now.set(Date.now());
}, 1_000);

/** Returns the present time, updated every second. */
export function useNow(): number {
  return useStore(now);
}
