import { concurrencyKey, placeRule, type RunLimit, type Timer, type UnstampedInput } from "../../core/engine/index.ts";
import { LIMITS } from "../../core/base/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { PlaceChange, PlaceStore } from "../../store/index.ts";
import type { PlacesFound } from "./claim-place.ts";
import type { DueTimers } from "./due-timers.ts";
import type { Taken, Waiting } from "./input-queue.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { ReportIntake } from "./report-intake.ts";

export interface PlacesOptions {
  readonly store: PlaceStore;
  readonly intake: Pick<ReportIntake, "submitToNewest">;
  readonly dueTimers: Pick<DueTimers, "found">;
  readonly clock: { now(): number };
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Enforces the limit on runs with the same key.
 * - Before a batch: reads which runs hold a place and which wait, but only for runs that need a place.
 * - After a commit: the run that has waited longest checks whether it may begin, and runs that have to make room are
 *   cancelled.
 * A timer written with the commit does the same if this process dies in between.
 */
export class Places {
  readonly #options: PlacesOptions;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  async find(
    taken: readonly Taken[],
    known: ReadonlyMap<string, DrivenRun>,
  ): Promise<ReadonlyMap<string, PlacesFound>> {
    const found = new Map<string, PlacesFound>();
    for (const { runId, fresh, waiting } of taken) {
      const live = fresh ?? known.get(runId);
      const given = fresh === null ? undefined : limitIn(waiting);
      if (live === undefined || placeRule(live.state, given) === null || !needsPlace(live)) continue;
      found.set(runId, await this.#read(live, given));
    }
    return found;
  }

  async #read({ run, state }: DrivenRun, given: RunLimit | undefined): Promise<PlacesFound> {
    const { store, clock } = this.#options;
    const key = concurrencyKey(state, run.args, state.startedAt ?? clock.now(), given);
    if (key === null || !key.ok) return { key, places: [] };
    return { key, places: await store.placesOf(run.orgId, key.value, LIMITS.concurrentRunsMax) };
  }

  committed({ run, state }: DrivenRun, change: PlaceChange | null, victims: readonly string[]): void {
    for (const victim of victims)
      this.#submit(victim, { type: "cancel", reason: `concurrency: ${state.runId} takes its place` });
    if (change === null || change.kind === "wait" || state.place === null) return;
    void this.#wakeNext(run.orgId, state.place.key);
  }

  async #wakeNext(orgId: string, key: string): Promise<void> {
    const { store, dueTimers, onTrouble } = this.#options;
    try {
      const places = await store.placesOf(orgId, key, 1);
      const next = places.find(({ slot }) => slot === null);
      if (next !== undefined) dueTimers.found(next.runId, LOOK);
    } catch (error) {
      onTrouble("the next run of a key was not woken, and is found by its timer", error);
    }
  }

  #submit(runId: string, input: UnstampedInput): void {
    const { intake, onTrouble } = this.#options;
    intake
      .submitToNewest(runId, () => () => ({ input }))
      .catch((error: unknown) => onTrouble(`run ${runId} could not be cancelled to make room`, error));
  }
}

const LOOK: Timer = { kind: "place" };

/** Returns the limit that the trigger sets for the run it starts. */
function limitIn(waiting: readonly Waiting[]): RunLimit | undefined {
  const [first] = waiting;
  return first !== undefined && first.input !== null && "type" in first.input && first.input.type === "start"
    ? first.input.limit
    : undefined;
}

/** Whether the run needs a place: it begins, waits for one, or has ended and may be opened again. */
function needsPlace({ state }: DrivenRun): boolean {
  return state.startedAt === null || state.place?.standing === "waiting" || isTerminal(state.status);
}
