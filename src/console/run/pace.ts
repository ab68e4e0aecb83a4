import type { Pace } from "./model/run-feed.ts";

const HIDDEN_MS = 250;

/** Uses animation frames while the page is visible, and a slow timer while it is hidden, because browsers draw nothing then. */
export const PACE: Pace = {
  nextFrame: (run) => {
    if (document.visibilityState === "visible") requestAnimationFrame(run);
    else setTimeout(run, HIDDEN_MS);
  },
  now: () => performance.now(),
};
