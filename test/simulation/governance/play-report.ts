import type { Judge } from "../../../src/governance/index.ts";
import type { Store } from "../../../src/store/index.ts";
import type { Violation } from "../checkers/index.ts";
import type { GovernanceChecker } from "./checker.ts";
import type { Tamper } from "./watched-store.ts";

export interface PlayOptions {
  readonly checkers?: readonly GovernanceChecker[];
  /** Planted bugs: in what replicas read and write, and in who judges. */
  readonly tamper?: Tamper;
  readonly lie?: (store: Store) => Store;
  readonly disguise?: (judge: Judge) => Judge;
}

export interface PlayReport {
  readonly seed: number;
  readonly violation: Violation | null;
  readonly runs: number;
  readonly starts: number;
  readonly waits: number;
  readonly answers: number;
  readonly micros: number;
  /** Admissions in a role with a bound. */
  readonly bounded: number;
  /** Times a parent received what a child had spent after its end. */
  readonly lateReports: number;
  /** Of everything that began, in its order. */
  readonly trace: string;
}
