/** Limits of one organisation within an installation. Null means unlimited. */
export interface OrganisationLimits {
  /** Runs that all callers together may start in a minute. Child runs and blocks do not count. */
  readonly startsPerMinute: number | null;
  readonly openRuns: number | null;
  /** Nodes dispatched per second; further nodes wait. */
  readonly nodesPerSecond: number | null;
  /** Storage for files, large values and logs. */
  readonly storageBytes: number | null;
  /** Open event streams in one process. */
  readonly streams: number | null;
}

/** Names of the limits in files and API responses. */
export const LIMIT_NAMES = {
  startsPerMinute: "starts_per_minute",
  openRuns: "open_runs",
  nodesPerSecond: "nodes_per_second",
  storageBytes: "storage_bytes",
  streams: "streams",
} as const satisfies Readonly<Record<keyof OrganisationLimits, string>>;

export const NO_ORGANISATION_LIMITS: OrganisationLimits = {
  startsPerMinute: null,
  openRuns: null,
  nodesPerSecond: null,
  storageBytes: null,
  streams: null,
};

/** Key of the organisation's counter among the counters of agents. It contains a slash, so it can never be an agent id. */
export const ORGANISATION_COUNTER = "organisation/nodes";

export function nodeRateOf({
  nodesPerSecond,
}: Pick<OrganisationLimits, "nodesPerSecond">): { readonly count: number; readonly perSeconds: number } | null {
  return nodesPerSecond === null ? null : { count: nodesPerSecond, perSeconds: 1 };
}
