/** What a script that calls `sluice` can rely on. */
export const EXIT = {
  fine: 0,
  runFailed: 1,
  badUsage: 2,
  cancelled: 3,
  waiting: 4,
  /** The server, or the database behind it, does not answer, or not with a whole answer. */
  unreachable: 5,
  /** A launch gate refused. */
  refused: 6,
  /** Not signed in, or not permitted. */
  notPermitted: 7,
} as const;
