const MINUTE_MS = 60_000;

/** Is there room for one more at `now`, when so many fit into any minute? `taken`: moments, oldest first. */
export function nextTurn(
  taken: readonly number[],
  perMinute: number,
  now: number,
): { readonly wait: number; readonly after: readonly number[] } {
  const recent = taken.filter((at) => at > now - MINUTE_MS);
  const first = recent[recent.length - perMinute];
  if (first !== undefined) return { wait: first + MINUTE_MS - now, after: recent };
  return { wait: 0, after: [...recent, now] };
}
