import type { RunHead } from "./store.ts";

/** What a live view of an organisation shows of its runs. */
export interface LiveStore {
  /**
   * The runs of these organisations that are open or were created since an instant, the newest, at most `limit`, and those
   * that are named: without those that are known as they are. One query, whatever the number of organisations and of
   * those who watch them.
   */
  listLiveRuns(query: LiveQuery): Promise<readonly LiveHead[]>;
  /** Approvals of these organisations that were assigned or commented on since an instant. */
  listNotedApprovals(orgIds: readonly string[], since: number): Promise<readonly NotedApproval[]>;
  /** The approvals of launches that wait for a person in these organisations, in order of their ids. */
  listOpenLaunches(orgIds: readonly string[]): Promise<readonly OpenLaunch[]>;
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
  /** Null: only runs that are named. */
  readonly createdSince: number | null;
  readonly runIds: readonly string[];
  /** By run, the version that is known. */
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
