import { auditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import { type Budget, periodOf, thresholdsCrossed, usdText } from "../core/governance/index.ts";
import type { GovernanceStore } from "../store/index.ts";
import type { RegisteredCache } from "./registered-cache.ts";
import type { Tally } from "./tally.ts";

const RECORDED_MAX = 10_000;

/** Writes an audit entry when a budget reaches a threshold or begins a new period, once each. */
export class BudgetWatch {
  readonly #store: Pick<GovernanceStore, "markOnce">;
  /** Entries known to be recorded, to save a database query. */
  readonly #recorded = new Set<string>();

  constructor(store: Pick<GovernanceStore, "markOnce">) {
    this.#store = store;
  }

  async checkAll(tallies: ReadonlyMap<string, Tally>, registered: RegisteredCache, at: number): Promise<void> {
    for (const [orgId, tally] of tallies) {
      if (registered.knows(orgId)) await this.#check(orgId, registered.of(orgId).budgets, tally, at);
    }
  }

  async #check(orgId: string, budgets: readonly Budget[], tally: Tally, at: number): Promise<void> {
    for (const budget of budgets) {
      if (!budget.isEnabled) continue;
      const { start } = periodOf(budget.period, at);
      await this.#checkMarks(orgId, budget, start, tally.spendingOf(budget.id, start).spentMicros, at);
      const before = tally.spendingOf(budget.id, periodOf(budget.period, start - 1).start);
      if (before.spentMicros > 0) await this.#recordReset(orgId, budget, start, before.spentMicros, at);
    }
  }

  async #checkMarks(orgId: string, budget: Budget, start: number, spent: number, at: number): Promise<void> {
    for (const share of thresholdsCrossed(budget, -1, spent)) {
      await this.#record(orgId, `alert/${budget.id}/${start}/${share}`, () =>
        auditEntry({
          at,
          type: "budget.alert",
          actor: ENGINE_ACTOR,
          resource: `budget/${budget.id}`,
          detail: { share, spentUsd: usdText(spent), amountUsd: usdText(budget.amountMicros), periodStart: start },
        }),
      );
    }
  }

  #recordReset(orgId: string, { id, period }: Budget, start: number, spent: number, at: number): Promise<void> {
    return this.#record(orgId, `reset/${id}/${start}`, () =>
      auditEntry({
        at,
        type: "budget.period_reset",
        actor: ENGINE_ACTOR,
        resource: `budget/${id}`,
        detail: { period, periodStart: start, spentBeforeUsd: usdText(spent) },
      }),
    );
  }

  async #record(orgId: string, key: string, entry: () => ReturnType<typeof auditEntry>): Promise<void> {
    const known = `${orgId} ${key}`;
    if (this.#recorded.has(known)) return;
    if (this.#recorded.size >= RECORDED_MAX) this.#recorded.clear();
    await this.#store.markOnce(orgId, key, entry());
    this.#recorded.add(known);
  }
}
