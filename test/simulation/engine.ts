import type { JsonObject } from "../../src/core/base/index.ts";
import type { RunEvent } from "../../src/core/event/index.ts";
import {
  advance,
  apply,
  branchFrom,
  type BranchEdits,
  branchWith,
  type Carried,
  createRunState,
  type Effect,
  type Input,
  replay,
  restartFrom,
  type RunState,
  eventsTakenByBlock,
} from "../../src/core/engine/index.ts";
import type { Plan } from "../../src/core/plan/index.ts";

/** What one call of `advance` gave back. */
export type Advance = ReturnType<typeof advance>;

/** The engine as the world sees it. A planted bug is another object of this shape. */
export interface Engine {
  create(plan: Plan, runId: string): RunState;
  advance(state: RunState, input: Input): Advance;
  apply(state: RunState, event: RunEvent): void;
  replay(plan: Plan, runId: string, events: Iterable<RunEvent>): RunState;
  restartFrom(state: RunState, fromNode?: string): readonly Carried[];
  branchFrom(state: RunState, args?: JsonObject): readonly Carried[];
  branchWith(state: RunState, args: JsonObject, edits: BranchEdits): ReturnType<typeof branchWith>;
  eventsTakenByBlock(state: RunState): readonly string[];
}

export const REAL_ENGINE: Engine = {
  create: createRunState,
  advance,
  apply,
  replay,
  restartFrom,
  branchFrom,
  branchWith,
  eventsTakenByBlock: eventsTakenByBlock,
};

/** One input and everything it led to. */
export interface Turn {
  readonly input: Input;
  readonly events: readonly RunEvent[];
  readonly effects: readonly Effect[];
  readonly refusal: Advance["refusal"];
}
