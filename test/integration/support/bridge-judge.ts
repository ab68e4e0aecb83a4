import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../../src/core/base/index.ts";
import type { Pair } from "./bridge-pair.ts";
import type { JudgeOptions } from "./judge.ts";
import { type Call, readLedger } from "./ledger.ts";
import type { Load, Verdict } from "./load.ts";

/** A sending is posted for half a minute at most, and every post may reach another life of the Bridge. */
export const POSTS_PER_SEND = 8;

/** What is on the Bridge's disk of one dispatch. */
export interface Kept {
  readonly id: string;
  readonly endedAt: number;
  readonly isSettled: boolean;
}

/** The results in an outbox, by dispatch id; lines a kill cut short are none. */
export function readOutbox(directory: string): ReadonlyMap<string, Kept> {
  const kept = new Map<string, Kept>();
  const names = existsSync(directory) ? readdirSync(directory).toSorted() : [];
  for (const name of names) {
    for (const text of readFileSync(join(directory, name), "utf8").split("\n").slice(0, -1)) {
      const line = parsed(text);
      if (line === null) continue;
      const { id, ended, settled } = line;
      const before = kept.get(id);
      if (ended !== undefined) kept.set(id, { id, endedAt: before?.endedAt ?? ended, isSettled: false });
      else if (settled !== undefined && before !== undefined) kept.set(id, { ...before, isSettled: true });
    }
  }
  return kept;
}

interface OutboxLine {
  readonly id: string;
  readonly ended?: number;
  readonly settled?: number;
}

function parsed(text: string): OutboxLine | null {
  try {
    return JSON.parse(text) as OutboxLine;
  } catch {
    return null;
  }
}

/** The runs as ever, and beside them what only the Bridge's own disk shows. */
export async function judgePair(pair: Pair, load: Load, options: Partial<JudgeOptions> = {}): Promise<Verdict> {
  const verdict = await load.judge(pair.ledger, { overlapMs: 0, callsPerSend: POSTS_PER_SEND, ...options });
  const calls = readLedger(pair.ledger);
  const strays = pair.serverLedger === pair.ledger ? [] : readLedger(pair.serverLedger);
  return {
    ...verdict,
    violations: [
      ...verdict.violations,
      ...judgeOutbox(calls, readOutbox(pair.outbox)),
      ...judgeCounts(calls),
      ...strays.map(({ dispatchId }) => `${dispatchId} was executed by the server itself`),
      ...judgeComplaints(pair.complaints),
    ],
  };
}

/** What had ended, and was on disk, is not begun again. */
export function judgeOutbox(calls: readonly Call[], kept: ReadonlyMap<string, Kept>): readonly string[] {
  return calls.flatMap(({ dispatchId, at }) => {
    const endedAt = kept.get(dispatchId)?.endedAt;
    return endedAt === undefined || at <= endedAt ? [] : [`${dispatchId} was called ${at - endedAt} ms after its end`];
  });
}

/** No sample reopens a node: all its calls are of one epoch. */
export function judgeCounts(calls: readonly Call[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { idempotencyKey } of calls) counts.set(idempotencyKey, (counts.get(idempotencyKey) ?? 0) + 1);
  return [...counts].flatMap(([key, count]) =>
    count > LIMITS.callsPerNodeMax ? [`${key} was executed ${count} times`] : [],
  );
}

/** Dispatches that were executed more than once. */
export function repeatedIn(calls: readonly Call[]): readonly string[] {
  const seen = new Set<string>();
  return calls.flatMap(({ dispatchId }) => {
    if (seen.has(dispatchId)) return [dispatchId];
    seen.add(dispatchId);
    return [];
  });
}

const GRAVE = /is dropped|is parked|ended in a bug|was not taken/;

function judgeComplaints(text: string): readonly string[] {
  return text.split("\n").filter((line) => GRAVE.test(line));
}
