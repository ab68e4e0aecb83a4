const MINUTE_MS = 60_000;

/** Checks whether another message may be sent at `now` with `perMinute` allowed in any minute. `taken`: earlier times, oldest first. */
export function nextSendSlot(
  taken: readonly number[],
  perMinute: number,
  now: number,
): { readonly wait: number; readonly after: readonly number[] } {
  const recent = taken.filter((at) => at > now - MINUTE_MS);
  const first = recent[recent.length - perMinute];
  if (first !== undefined) return { wait: first + MINUTE_MS - now, after: recent };
  return { wait: 0, after: [...recent, now] };
}
