import type { JsonObject } from "../core/base/index.ts";

/** A request of a worker for work. */
export interface Poll {
  readonly orgId: string;
  readonly workerId: string;
  /** Names of the worker's functions, in code-unit order. */
  readonly functions: readonly string[];
  /** Maximum number of pieces of work for this poll. */
  readonly limit: number;
  readonly waitMs: number;
  /** Aborted when the worker no longer waits for the answer. */
  readonly signal: AbortSignal;
}

export interface PollAnswer {
  readonly work: readonly JsonObject[];
  /** Dispatches of the worker whose results are no longer wanted. */
  readonly cancelled: readonly string[];
}

export interface OpenPoll extends Poll {
  /** True from its arrival until work was claimed for the poll once, and during each later claim. */
  isServed: boolean;
  /** True when the waiting time has passed. */
  isOver: boolean;
  answer(given: PollAnswer): void;
}

const TAKERS_MAX = 512;

/** Returns the order in which work is assigned: each worker once, then each worker with room for a second piece, and so on. */
export function takersOf(polls: readonly Pick<Poll, "workerId" | "limit">[]): readonly string[] {
  const takers: string[] = [];
  for (let turn = 0; takers.length < TAKERS_MAX; turn += 1) {
    const open = polls.filter(({ limit }) => limit > turn);
    if (open.length === 0) break;
    takers.push(...open.map(({ workerId }) => workerId));
  }
  return takers.slice(0, TAKERS_MAX);
}
