/** Exit codes of `sluice`, which scripts can rely on. */
export const EXIT = {
  fine: 0,
  runFailed: 1,
  badUsage: 2,
  cancelled: 3,
  waiting: 4,
  /** The server or its database does not answer, or its answer is incomplete. */
  unreachable: 5,
  /** A launch gate refused. */
  refused: 6,
  /** Not authenticated, or not permitted. */
  notPermitted: 7,
} as const;
