import { concurrencyKey, type Input, type RunState } from "../../../src/core/engine/index.ts";
import type { Prng } from "../prng.ts";
import type { SimRun } from "./run.ts";
import type { World } from "./world.ts";

interface Row {
  readonly run: SimRun;
  isHeld: boolean;
}

/** What becomes of an input that asks for a place, and what is kept when it is committed. Null: it is refused. */
export interface Claim {
  readonly input: Input | null;
  readonly committed: () => unknown;
}

/** Who has a place among the runs with the same key and who waits for one, as a driver keeps it. */
export class Places {
  private readonly world: World;
  /** In the order in which they came. */
  private readonly rows = new Map<string, Row[]>();
  private readonly pace: Prng;

  constructor(world: World) {
    this.world = world;
    this.pace = world.pace.fork("places");
  }

  claim(run: SimRun, state: RunState, input: Input): Claim {
    const nothing = { input, committed: () => undefined };
    if (run.facts.workflow.plan.concurrency === null) return nothing;
    switch (input.type) {
      case "start":
        return run.facts.lastEventId > 0 ? nothing : this.atStart(run, state, input);
      case "timer":
        return input.timer.kind === "place" ? this.inTurn(run, input) : nothing;
      case "rewind":
      case "recover":
        return run.facts.hasEnded && run.place?.standing !== "inherited" ? this.again(run, input) : nothing;
      default:
        return nothing;
    }
  }

  /** The next one of those that wait has its turn. */
  ended(run: SimRun): void {
    const key = run.place?.key ?? "";
    const left = this.rowsOf(key).filter((row) => row.run !== run);
    this.rows.set(key, left);
    const next = left.find(({ isHeld }) => !isHeld);
    if (next === undefined) return;
    this.world.submit(next.run, this.pace.between(0, 30), { type: "timer", timer: { kind: "place" } });
  }

  private atStart(run: SimRun, state: RunState, input: Extract<Input, { readonly type: "start" }>): Claim {
    const value = concurrencyKey(state, input.args, input.at);
    if (value?.ok !== true) throw new Error(`the key of ${run.facts.runId} has no value`);
    const key = value.value;
    const { whenFull } = limitOf(run);
    const isInherited = input.heldKeys?.includes(key) === true;
    const isFull = !isInherited && !this.hasFree(run, this.rowsOf(key));
    const standing = isInherited ? "inherited" : !isFull ? "held" : whenFull === "cancel_new" ? "full" : "waiting";
    return {
      input: { ...input, place: { key, standing } },
      committed: () => {
        run.place = { key, standing };
        const before = this.rowsOf(key);
        if (!run.facts.hasEnded && standing !== "inherited")
          this.rows.set(key, [...before, { run, isHeld: standing === "held" }]);
        if (standing === "waiting" && whenFull === "cancel_old") this.makeRoom(run, before);
        if (standing === "waiting" || standing === "full") this.world.sometimes.hit(`place_${standing}`);
      },
    };
  }

  private makeRoom(run: SimRun, before: readonly Row[]): void {
    const oldest = before.slice(0, Math.max(0, before.length + 1 - limitOf(run).limit));
    for (const row of oldest)
      this.world.submit(row.run, this.pace.between(0, 30), { type: "cancel", reason: "concurrency_replaced" });
  }

  private inTurn(run: SimRun, input: Input): Claim {
    const rows = this.rowsOf(run.place?.key ?? "");
    const own = rows.find((row) => row.run === run);
    const isTurn = own !== undefined && !own.isHeld && this.hasFree(run, rows.slice(0, rows.indexOf(own)));
    if (!isTurn) {
      const isClearing = own?.isHeld === false && limitOf(run).whenFull === "cancel_old";
      // What is still in the way is cancelled once more: an operator may have opened it again meanwhile.
      return { input, committed: () => isClearing && this.makeRoom(run, rows.slice(0, rows.indexOf(own))) };
    }
    const { at, jitter } = input;
    return {
      input: { type: "admit", at, jitter },
      committed: () => {
        own.isHeld = true;
        this.world.sometimes.hit("place_admitted");
      },
    };
  }

  /** A run that had ended has given its place back, and needs one to be opened again. */
  private again(run: SimRun, input: Input): Claim {
    const key = run.place?.key ?? "";
    if (!this.hasFree(run, this.rowsOf(key))) return { input: null, committed: () => undefined };
    return {
      input,
      committed: () => {
        if (!run.facts.hasEnded) this.rows.set(key, [...this.rowsOf(key), { run, isHeld: true }]);
      },
    };
  }

  private hasFree(run: SimRun, before: readonly Row[]): boolean {
    return before.every(({ isHeld }) => isHeld) && before.length < limitOf(run).limit;
  }

  private rowsOf(key: string): readonly Row[] {
    return this.rows.get(key) ?? [];
  }
}

function limitOf({ facts }: SimRun) {
  const { concurrency } = facts.workflow.plan;
  if (concurrency === null) throw new Error(`${facts.workflow.name} limits nothing`);
  return concurrency;
}
