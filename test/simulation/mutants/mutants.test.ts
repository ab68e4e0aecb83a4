import { describe, expect, it } from "vitest";
import { CHECKERS } from "../checkers/index.ts";
import type { Surroundings } from "../checkers/checker.ts";
import { REAL_ENGINE } from "../engine.ts";
import { playSchedule, type ScheduleOptions } from "../schedule.ts";
import { BLOCK_MUTANTS } from "./block-mutants.ts";
import { DECISION_MUTANTS } from "./decision-mutants.ts";
import { EVENT_MUTANTS } from "./event-mutants.ts";
import { withEngine } from "./mutant.ts";
import { OUTCOME_MUTANTS } from "./outcome-mutants.ts";
import { PAUSE_MUTANTS } from "./pause-mutants.ts";
import { REPEAT_MUTANTS } from "./repeat-mutants.ts";
import { RULE_MUTANTS, STATUS_MUTANTS, WORLD_MUTANTS } from "./rule-mutants.ts";
import { SPEECH_MUTANTS } from "./speech-mutants.ts";
import { TURN_MUTANTS } from "./turn-mutants.ts";
import { VALUE_MUTANTS } from "./value-mutants.ts";

const SCHEDULES_MAX = 3_000;
/** Far beyond what it takes; a slow machine must not make it fail. */
const TIMEOUT_MS = 600_000;
const NOWHERE: Surroundings = {
  agents: new Map(),
  runs: new Map(),
  happenings: [],
  costOf: () => 0,
  holds: () => false,
};
const MUTANTS = [
  ...VALUE_MUTANTS,
  ...REPEAT_MUTANTS,
  ...BLOCK_MUTANTS,
  ...DECISION_MUTANTS,
  ...SPEECH_MUTANTS,
  ...RULE_MUTANTS,
  ...STATUS_MUTANTS,
  ...WORLD_MUTANTS,
  ...EVENT_MUTANTS,
  ...OUTCOME_MUTANTS,
  ...TURN_MUTANTS,
  ...PAUSE_MUTANTS,
];

/** The checkers of one invariant and no others: a planted bug must be caught by its own checker. */
function only(invariant: string) {
  return CHECKERS.filter((make) => make(NOWHERE, 0).id === invariant);
}

function schedulesUntilCaught(invariant: string, options: () => ScheduleOptions): number {
  for (let seed = 0; seed < SCHEDULES_MAX; seed += 1) {
    if (playSchedule(seed, options()).violation?.invariant === invariant) return seed + 1;
  }
  return Infinity;
}

describe("planted bugs", { timeout: TIMEOUT_MS }, () => {
  it.each(MUTANTS)("$invariant notices that $bug", ({ invariant, options }) => {
    const checkers = only(invariant);
    expect(checkers.length).toBeGreaterThan(0);
    const caught = schedulesUntilCaught(invariant, () => ({ ...options(), checkers, probes: [] }));
    expect(caught).toBeLessThanOrEqual(SCHEDULES_MAX);
  });

  it("E7 notices that an input submitted twice counts twice", () => {
    const forgetful = () => {
      const seen = new WeakSet<object>();
      return withEngine({
        advance(state, input) {
          const result = REAL_ENGINE.advance(state, input);
          if (!seen.has(input)) {
            seen.add(input);
            return result;
          }
          return { ...result, effects: [{ type: "notify", kind: "alert", nodeId: "x", message: "again" }] };
        },
      });
    };
    expect(schedulesUntilCaught("E7", () => ({ ...forgetful(), checkers: [], probes: ["E7"] }))).toBeLessThan(
      SCHEDULES_MAX,
    );
  });

  it("E9 notices that something is remembered outside the log", () => {
    const options = () =>
      withEngine({
        advance(state, input) {
          const result = REAL_ENGINE.advance(state, input);
          const [node] = state.nodes;
          if (node !== undefined && input.type === "callback") node.retries += 1;
          return result;
        },
      });
    expect(schedulesUntilCaught("E9", () => ({ ...options(), checkers: [], probes: ["E9"] }))).toBeLessThan(
      SCHEDULES_MAX,
    );
  });

  it("E9 notices that a fold depends on where it was cut", () => {
    const options = () =>
      withEngine({
        replay(plan, runId, events) {
          const state = REAL_ENGINE.replay(plan, runId, events);
          state.recursionDepth += state.lastEventId % 2;
          return state;
        },
      });
    expect(schedulesUntilCaught("E9", () => ({ ...options(), checkers: [], probes: ["E9"] }))).toBeLessThan(
      SCHEDULES_MAX,
    );
  });

  it("every checker has a planted bug", () => {
    const proved = new Set(MUTANTS.map(({ invariant }) => invariant));
    const ids = CHECKERS.map((make) => make(NOWHERE, 0).id);
    expect(ids.filter((id) => !proved.has(id))).toEqual([]);
  });
});
