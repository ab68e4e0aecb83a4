/** About the moment, not the request: it was too early, too much at once, or in conflict with another. */
const MOMENTARY: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** May the same request do better later? Whatever else is refused with 4xx would be refused again. */
export function isRetryableStatus(status: number): boolean {
  return status < 400 || status >= 500 || MOMENTARY.has(status);
}
