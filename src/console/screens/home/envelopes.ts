import type { Registered, Usage } from "../../../client/index.ts";

/** A budget with the amount spent in its present period. */
export interface Envelope {
  readonly id: string;
  readonly label: string;
  readonly spentMicros: number;
  readonly limitMicros: number;
  /** Spent share of the limit: 1 when all of it is spent. */
  readonly share: number;
}

export type Period = "daily" | "weekly" | "monthly";

/** Returns the beginning of the present period, in UTC. Weeks begin on Monday. */
export function periodStart(period: Period, now: number): number {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (period === "monthly") return Date.UTC(year, month, 1);
  return Date.UTC(year, month, period === "weekly" ? day - ((date.getUTCDay() + 6) % 7) : day);
}

/** The scopes by which usage is counted. Usage is not counted by team. */
const COUNTED = ["agent", "workflow", "gateway"] as const;

/** Returns the budgets with their spending. `usage` has days per scope, from the start of the month or week, whichever is earlier. */
export function envelopesOf(
  budgets: readonly Registered[],
  usage: Readonly<Record<(typeof COUNTED)[number], Usage>>,
  now: number,
): readonly Envelope[] {
  return budgets.flatMap((budget) => {
    const { id, scope, scopeId, period, amountUsd, enabled } = budget;
    const by = COUNTED.find((each) => each === scope) ?? (scope === "global" ? "workflow" : null);
    const isPeriod = period === "daily" || period === "weekly" || period === "monthly";
    if (by === null || !isPeriod || typeof amountUsd !== "number" || enabled === false) return [];
    const start = periodStart(period, now);
    const spentMicros = usage[by].data
      .filter(({ bucketStart, group }) => Date.parse(bucketStart) >= start && (scope === "global" || group === scopeId))
      .reduce((sum, { costMicros }) => sum + costMicros, 0);
    const limitMicros = Math.round(amountUsd * 1_000_000);
    const whose = typeof scopeId === "string" && scope !== "global" ? `${by} ${scopeId}` : "everything";
    return [
      {
        id,
        label: `${whose}, ${period}`,
        spentMicros,
        limitMicros,
        share: limitMicros === 0 ? 1 : spentMicros / limitMicros,
      },
    ];
  });
}
