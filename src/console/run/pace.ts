import type { Pace } from "./model/run-feed.ts";

const HIDDEN_MS = 250;

/** Animation frames while the page is visible; a slow timer while it is not, because browsers draw nothing then. */
export const PACE: Pace = {
  nextFrame: (run) => {
    if (document.visibilityState === "visible") requestAnimationFrame(run);
    else setTimeout(run, HIDDEN_MS);
  },
  now: () => performance.now(),
};
