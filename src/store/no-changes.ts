import type { RunCommit } from "./store.ts";

/** What a commit has besides the run it is of: nothing yet. */
export const NO_CHANGES: Omit<RunCommit, "runId" | "orgId" | "workflow" | "expectedVersion" | "head"> = {
  create: null,
  events: [],
  opened: [],
  closed: [],
  timersSet: [],
  timersCleared: [],
  waits: [],
  waitsEnded: [],
  waiters: [],
  waitersEnded: [],
  emitted: [],
  parentTimer: null,
  approvalsOpened: [],
  approvalsChanged: [],
  approvalsClosed: [],
  reports: [],
  slots: [],
  ledger: [],
  usage: [],
  verdicts: [],
  audit: [],
  memories: [],
  files: [],
  place: null,
};
