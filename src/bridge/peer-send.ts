import type { PeerFailure, PeerReply, PeerRequest } from "../outbound/index.ts";

/** Sends a request from this room: over the network, or to a test. */
export type Send = (url: string, request: PeerRequest) => Promise<PeerReply | PeerFailure>;

const RETRY_AFTER_MS_MAX = 600_000;

/** Returns the delay from the Retry-After header in milliseconds; the header contains seconds or a date. Null when absent. */
export function retryAfterMs(reply: PeerReply, now: number): number | null {
  const written = reply.headers["retry-after"]?.trim();
  if (written === undefined || written === "") return null;
  const wait = /^\d+$/.test(written) ? Number(written) * 1_000 : Date.parse(written) - now;
  return Number.isNaN(wait) ? null : Math.min(Math.max(0, wait), RETRY_AFTER_MS_MAX);
}

const QUICK_MS = [200, 1_000, 3_000] as const;
const SLOW_FIRST_MS = 5_000;
const SLOW_MAX_MS = 60_000;

/** Returns the delay after the nth failure, counted from 1: three short delays, then increasing ones with jitter. */
export function backoffMs(failures: number, jitter: number): number {
  const quick = QUICK_MS[failures - 1];
  if (quick !== undefined) return quick;
  const doublings = Math.min(failures - QUICK_MS.length - 1, 10);
  return Math.min(SLOW_MAX_MS, SLOW_FIRST_MS * 2 ** doublings) * (0.5 + jitter / 2);
}
