import type { RunHead } from "./store.ts";

/** Queries for the live view of an organisation's runs. */
export interface LiveStore {
  /**
   * Returns runs of these organisations that are open or were created since an instant, the newest, at most `limit`,
   * and the named runs. Runs whose version the caller already knows are left out. One query serves any number of
   * organisations and viewers.
   */
  listLiveRuns(query: LiveQuery): Promise<readonly LiveHead[]>;
  /** Returns approvals of these organisations that were assigned or commented on since an instant. */
  listNotedApprovals(orgIds: readonly string[], since: number): Promise<readonly NotedApproval[]>;
  /** Returns the approvals of launches that wait for a person in these organisations, by id. */
  listOpenLaunches(orgIds: readonly string[]): Promise<readonly OpenLaunch[]>;
  /** Records that this replica has committed. Called after the commit, but not for every one. */
  reportCommits(): Promise<void>;
  /** Returns a number that grows by one with each report of any replica, and may grow by more after a failover. */
  countCommitReports(): Promise<number>;
}

export interface NotedApproval {
  readonly orgId: string;
  readonly id: string;
  readonly notedAt: number;
}

export interface OpenLaunch {
  readonly orgId: string;
  readonly approvalId: string;
}

export interface LiveQuery {
  readonly orgIds: readonly string[];
  /** Null selects only the named runs. */
  readonly createdSince: number | null;
  readonly runIds: readonly string[];
  /** Known version of each run, by run id. */
  readonly known: ReadonlyMap<string, number>;
  readonly limit: number;
}

export interface LiveHead extends RunHead {
  readonly orgId: string;
  readonly workflow: string;
  readonly parentRunId: string | null;
  /** Ids of the approvals that wait for a person, in order. */
  readonly pendingApprovals: readonly string[];
}
