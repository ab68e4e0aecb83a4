import type { Counters, RunCommit, Store } from "../../../src/store/index.ts";
import { Violation } from "../checkers/index.ts";
import type { Books, KnownAttempt } from "./books.ts";

/** One commit that stood, of one or several runs, and what is counted right after it. */
export interface Stood {
  readonly books: Books;
  readonly commits: readonly RunCommit[];
  readonly begun: readonly KnownAttempt[];
  readonly counters: Counters;
  readonly now: number;
}

/** What is left when everything has ended. */
export interface Ended {
  readonly books: Books;
  readonly store: Store;
}

/** Judges one invariant from what is committed and counted, never through the governor. */
export interface GovernanceChecker {
  readonly id: string;
  after?(stood: Stood): void;
  atEnd?(ended: Ended): Promise<void>;
}

export function fail(id: string, runId: string, message: string): never {
  throw new Violation(id, runId, message);
}
