import { ApiError, UNREACHABLE } from "./api-error.ts";

/** Statuses of a server, or of a proxy in front of it, that is temporarily busy or away. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const FIRST_WAIT_MS = 200;
/** Longest wait. When a server requests more, the call fails, since the caller knows better what to do meanwhile. */
const WAIT_MS_MAX = 10_000;

/** Checks whether a request can be sent twice with the effect of sending it once. */
export function isRepeatable(method: string, headers: Readonly<Record<string, string>>): boolean {
  return method === "GET" || method === "PUT" || (method === "POST" && Object.hasOwn(headers, "idempotency-key"));
}

/** Repeats a call that fails, up to the given number of times, if a repetition can help. */
export async function withRetries<T>(retries: number, call: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await call();
    } catch (thrown) {
      const waitMs = tried < retries ? waitAfter(thrown, tried) : null;
      if (waitMs === null) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

/** Returns the wait before the next try. Null when another try would fail too or the wait would be too long. */
function waitAfter(thrown: unknown, tried: number): number | null {
  if (!(thrown instanceof ApiError)) return null;
  if (thrown.code !== UNREACHABLE && !BUSY.has(thrown.status)) return null;
  const waitMs = Math.max(FIRST_WAIT_MS * 2 ** tried, thrown.retryAfterMs ?? 0);
  return waitMs > WAIT_MS_MAX ? null : waitMs;
}
