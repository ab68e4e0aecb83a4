import type { JsonObject } from "../core/base/index.ts";

/** A worker that asks for work. */
export interface Poll {
  readonly orgId: string;
  readonly workerId: string;
  /** In code-unit order. */
  readonly functions: readonly string[];
  /** How many it takes. */
  readonly limit: number;
  readonly waitMs: number;
  /** Aborted when it is not listening any more. */
  readonly signal: AbortSignal;
}

export interface PollAnswer {
  readonly work: readonly JsonObject[];
  /** Dispatches it has, whose results are not wanted any more. */
  readonly cancelled: readonly string[];
}

export interface OpenPoll extends Poll {
  /** Work is being claimed for it. */
  isServed: boolean;
  /** It has waited long enough. */
  isOver: boolean;
  answer(given: PollAnswer): void;
}

const TAKERS_MAX = 512;

/** A place for each piece of work that could be given out, in turn: one for each worker, then a second for each, and so on. */
export function takersOf(polls: readonly Pick<Poll, "workerId" | "limit">[]): readonly string[] {
  const takers: string[] = [];
  for (let turn = 0; takers.length < TAKERS_MAX; turn += 1) {
    const open = polls.filter(({ limit }) => limit > turn);
    if (open.length === 0) break;
    takers.push(...open.map(({ workerId }) => workerId));
  }
  return takers.slice(0, TAKERS_MAX);
}
