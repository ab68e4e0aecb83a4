import type { RunHead } from "./store.ts";

/** What a live view of an organisation shows of its runs. */
export interface LiveStore {
  /**
   * The runs of these organisations that are open, were created since an instant, or are named: newest first, at most
   * `limit`. One query, whatever the number of organisations and of those who watch them.
   */
  listLiveRuns(query: LiveQuery): Promise<readonly LiveHead[]>;
  /** The approvals of launches that wait for a person in these organisations, in order of their ids. */
  listOpenLaunches(orgIds: readonly string[]): Promise<readonly OpenLaunch[]>;
}

export interface OpenLaunch {
  readonly orgId: string;
  readonly approvalId: string;
}

export interface LiveQuery {
  readonly orgIds: readonly string[];
  readonly createdSince: number;
  readonly runIds: readonly string[];
  readonly limit: number;
}

export interface LiveHead extends RunHead {
  readonly orgId: string;
  readonly workflow: string;
  readonly parentRunId: string | null;
  /** Ids of the approvals that wait for a person, in order. */
  readonly pendingApprovals: readonly string[];
}
