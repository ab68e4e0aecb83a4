import { digestText } from "../../core/base/index.ts";
import type { Launcher } from "../../launch/index.ts";
import type { Schedule } from "../../registry/index.ts";
import type { IdempotencyScope, RunStore, ScheduleStore, SlotKey } from "../../store/index.ts";

export type StarterStore = Pick<ScheduleStore, "settleSlot"> & Pick<RunStore, "findIdempotent">;

const REASON_LENGTH_MAX = 2_000;

/** Starts the run of a slot that was claimed, and records what became of it. Doing it twice starts it once. */
export class Starter {
  readonly #launcher: Launcher;
  readonly #store: StarterStore;

  constructor(launcher: Launcher, store: StarterStore) {
    this.#launcher = launcher;
    this.#store = store;
  }

  async start(key: SlotKey, { workflow, args }: Pick<Schedule, "workflow" | "args">): Promise<void> {
    const scope = scopeOf(key, workflow);
    const launched = await this.#launcher.launch({
      orgId: key.orgId,
      workflow,
      args,
      trigger: "schedule",
      startedBy: scope.keyId,
      // The slot alone decides whether it is the same: its args may be changed before it is tried again.
      idempotency: { ...scope, bodyHash: digestText(`${scope.keyId} ${scope.key}`) },
    });
    if (launched.kind === "refused") {
      const { code, message } = launched.refusal;
      await this.#store.settleSlot(key, "claimed", { state: "refused", reason: storable(`${code}: ${message}`) });
    } else {
      await this.#store.settleSlot(key, "claimed", { state: "started", runId: launched.run.runId });
    }
  }

  /** Nothing is started any more; but the replica that claimed the slot may have started its run before. */
  async recall(key: SlotKey, workflow: string, reason: string): Promise<void> {
    const found = await this.#store.findIdempotent(scopeOf(key, workflow));
    const outcome =
      found === undefined
        ? ({ state: "skipped", reason } as const)
        : ({ state: "started", runId: found.runId } as const);
    await this.#store.settleSlot(key, "claimed", outcome);
  }
}

/** A refusal may quote what it was given: no database takes NUL, and no person reads a page of it. */
function storable(reason: string): string {
  return reason.replaceAll("\0", "").slice(0, REASON_LENGTH_MAX);
}

function scopeOf({ orgId, scheduleId, slotAt }: SlotKey, workflow: string): IdempotencyScope {
  return { orgId, keyId: `schedule:${scheduleId}`, workflow, key: new Date(slotAt).toISOString() };
}
