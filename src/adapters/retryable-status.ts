/** Statuses that depend on the moment, not on the request: too early, too many requests, or a conflict. */
const MOMENTARY: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** True when the same request may succeed later. Any other 4xx status would be returned again. */
export function isRetryableStatus(status: number): boolean {
  return status < 400 || status >= 500 || MOMENTARY.has(status);
}
