import { type Budget, periodOf } from "../core/governance/index.ts";
import type { Tally } from "./tally.ts";
import type { Waiter } from "./agent-queue.ts";
import { HELD_MAX } from "./waiting-room.ts";

interface Paused {
  readonly waiter: Waiter;
  /** The amount it would reserve; null when unknown. */
  readonly estimateMicros: number | null;
}

interface Group {
  readonly orgId: string;
  readonly budgetId: string;
  readonly nodes: Map<string, Paused>;
}

/**
 * Nodes of this process that wait for a budget with `onExhausted: pause`. They are kept apart from the queues of
 * agents, so that they do not block nodes whose own budget has room.
 */
export class PausedNodes {
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<string, string>();

  get size(): number {
    return this.#groupOf.size;
  }

  organisations(): readonly string[] {
    return [...this.#groups.values()].map(({ orgId }) => orgId);
  }

  isAnywhere(waiter: Waiter): boolean {
    return this.#groupOf.has(keyOf(waiter));
  }

  heldOf(orgId: string, budgetId: string): number {
    return this.#groups.get(`${orgId}/${budgetId}`)?.nodes.size ?? 0;
  }

  /** Adds a node. False when this process has no room for it; the node then stays in the database. */
  enter(orgId: string, budgetId: string, { waiter, estimateMicros }: Paused): boolean {
    this.leave(waiter);
    const groupKey = `${orgId}/${budgetId}`;
    let group = this.#groups.get(groupKey);
    if (group !== undefined && group.nodes.size >= HELD_MAX) return false;
    if (group === undefined) this.#groups.set(groupKey, (group = { orgId, budgetId, nodes: new Map() }));
    group.nodes.set(keyOf(waiter), { waiter, estimateMicros });
    this.#groupOf.set(keyOf(waiter), groupKey);
    return true;
  }

  leave(waiter: Waiter): void {
    const key = keyOf(waiter);
    const groupKey = this.#groupOf.get(key);
    if (groupKey === undefined) return;
    this.#groupOf.delete(key);
    const group = this.#groups.get(groupKey);
    group?.nodes.delete(key);
    if (group?.nodes.size === 0) this.#groups.delete(groupKey);
  }

  /** Removes and returns the nodes for which there is room now, oldest first. A node that still has to wait enters again. */
  release(roomOf: (orgId: string, budgetId: string) => number): readonly Waiter[] {
    const released: Waiter[] = [];
    for (const { orgId, budgetId, nodes } of this.#groups.values()) {
      let room = roomOf(orgId, budgetId);
      for (const { waiter, estimateMicros } of nodes.values()) {
        const micros = estimateMicros ?? 0;
        if (room < micros) continue;
        room -= micros;
        released.push(waiter);
        this.leave(waiter);
      }
    }
    return released;
  }
}

/** Returns the amount that may still be reserved: negative when all is spent, infinite when the budget does not pause. */
export function roomIn(budget: Budget | undefined, tally: Tally, at: number): number {
  if (budget === undefined || !budget.isEnabled || budget.onExhausted !== "pause") return Infinity;
  const { id, period, amountMicros } = budget;
  const { spentMicros, reservedMicros } = tally.spendingOf(id, periodOf(period, at).start);
  return spentMicros < amountMicros ? amountMicros - spentMicros - reservedMicros : -1;
}

function keyOf({ runId, nodeId }: Waiter): string {
  return `${runId}/${nodeId}`;
}
