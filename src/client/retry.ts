import { ApiError, UNREACHABLE } from "./api-error.ts";

/** Statuses of a server, or of what stands before it, that is busy or away for the moment. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const FIRST_WAIT_MS = 200;
/** A server that asks for more is not waited for: the caller knows better what to do meanwhile. */
const WAIT_MS_MAX = 10_000;

/** Doing it twice is doing it once. */
export function isRepeatable(method: string, headers: Readonly<Record<string, string>>): boolean {
  return method === "GET" || method === "PUT" || (method === "POST" && Object.hasOwn(headers, "idempotency-key"));
}

/** Makes a call again, at most so many times, as long as that can help. */
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

/** Null: it would fail again. */
function waitAfter(thrown: unknown, tried: number): number | null {
  if (!(thrown instanceof ApiError)) return null;
  if (thrown.code !== UNREACHABLE && !BUSY.has(thrown.status)) return null;
  const waitMs = Math.max(FIRST_WAIT_MS * 2 ** tried, thrown.retryAfterMs ?? 0);
  return waitMs > WAIT_MS_MAX ? null : waitMs;
}
