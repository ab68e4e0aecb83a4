/** What a script that calls `sluice` can rely on. */
export const EXIT = {
  fine: 0,
  runFailed: 1,
  badUsage: 2,
  cancelled: 3,
  waiting: 4,
  /** The server, or the database behind it, does not answer. */
  unreachable: 5,
  /** A launch gate said no. */
  refused: 6,
  /** Not signed in, or the key does not allow it. */
  notPermitted: 7,
} as const;
