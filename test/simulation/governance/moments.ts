/** How long a replica may go by what was registered before. */
export const NEWS_MS = 2_000;

/** What a replica may rely on at a moment: what was true then, and what was a little before. */
export function believed<T extends { readonly at: number }>(history: readonly T[], at: number): readonly T[] {
  const last = history.findLastIndex((entry) => entry.at <= at - NEWS_MS);
  return history.slice(Math.max(0, last));
}

const DAY_MS = 86_400_000;

export function periodStart(period: "daily" | "weekly" | "monthly", at: number): number {
  const midnight = at - (at % DAY_MS);
  const date = new Date(midnight);
  if (period === "weekly") return midnight - date.getUTCDay() * DAY_MS;
  return period === "daily" ? midnight : Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}
