import type { Pace } from "./model/run-feed.ts";

const HIDDEN_MS = 250;

/** Pictures while the page is looked at; a slow beat while it is not, since browsers draw nothing then. */
export const PACE: Pace = {
  nextFrame: (run) => {
    if (document.visibilityState === "visible") requestAnimationFrame(run);
    else setTimeout(run, HIDDEN_MS);
  },
  now: () => performance.now(),
};
