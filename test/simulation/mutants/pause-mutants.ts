import { REAL_ENGINE } from "../engine.ts";
import { type Mutant, withEngine } from "./mutant.ts";

export const PAUSE_MUTANTS: readonly Mutant[] = [
  {
    invariant: "paused",
    bug: "a run forgets that it is paused",
    options: () =>
      withEngine({
        advance(state, input) {
          const result = REAL_ENGINE.advance(state, input);
          state.paused = null;
          state.pausedWithParent = null;
          return result;
        },
      }),
  },
  {
    invariant: "paused",
    bug: "a run is never resumed",
    options: () =>
      withEngine({
        advance: (state, input) =>
          input.type === "resume" ? { events: [], effects: [] } : REAL_ENGINE.advance(state, input),
      }),
  },
];
