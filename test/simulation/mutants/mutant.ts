import type { RunEvent } from "../../../src/core/event/index.ts";
import type { Effect, Input, RunState } from "../../../src/core/engine/index.ts";
import { type Advance, type Engine, REAL_ENGINE } from "../engine.ts";
import type { ScheduleOptions } from "../schedule.ts";

/** A planted bug and the invariant whose checker has to notice it. */
export interface Mutant {
  readonly invariant: string;
  readonly bug: string;
  readonly options: () => ScheduleOptions;
}

/** The real engine with one part behaving badly. A fresh one per schedule: a bug may keep notes. */
export function withEngine(part: Partial<Engine>): ScheduleOptions {
  return { engine: { ...REAL_ENGINE, ...part } };
}

interface Said {
  readonly state: RunState;
  readonly input: Input;
  readonly events: readonly RunEvent[];
  readonly effects: readonly Effect[];
}

/** Changes what the engine says, after it has decided rightly. */
export function tamper(change: (said: Said) => Partial<Pick<Advance, "events" | "effects">> | null): ScheduleOptions {
  return withEngine({
    advance(state, input) {
      const result = REAL_ENGINE.advance(state, input);
      const { events, effects } = result;
      return { ...result, ...change({ state, input, events, effects }) };
    },
  });
}

/** The events with one more at the end that the engine did not decide. */
export function withExtra(
  events: readonly RunEvent[],
  state: RunState,
  at: number,
  extra: Unnumbered,
): readonly RunEvent[] {
  const eventId = (events.at(-1)?.eventId ?? state.lastEventId) + 1;
  return [...events, { eventId, at, ...extra }];
}

type Unnumbered = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, "eventId" | "at"> : never) : never;

/** The events with those of one type changed. */
export function rewrite<T extends RunEvent["type"]>(
  events: readonly RunEvent[],
  type: T,
  change: (event: Extract<RunEvent, { readonly type: T }>) => RunEvent,
): readonly RunEvent[] {
  return events.map((event) =>
    event.type === type ? change(event as Extract<RunEvent, { readonly type: T }>) : event,
  );
}
