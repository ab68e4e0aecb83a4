/** What an organisation may take of an installation; null: as much as it likes. */
export interface OrganisationLimits {
  /** Runs that all callers together start in a minute; child runs and blocks do not count. */
  readonly startsPerMinute: number | null;
  readonly openRuns: number | null;
  /** Nodes that are dispatched in a second; more of them wait. */
  readonly nodesPerSecond: number | null;
  /** Of files, large values and logs. */
  readonly storageBytes: number | null;
  /** Open event streams in one process. */
  readonly streams: number | null;
}

/** As they are written in files and answers. */
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

/** Stands where the id of an agent stands among what is counted, and can be none: it holds a slash. */
export const ORGANISATION_COUNTER = "organisation/nodes";

export function nodeRateOf({
  nodesPerSecond,
}: Pick<OrganisationLimits, "nodesPerSecond">): { readonly count: number; readonly perSeconds: number } | null {
  return nodesPerSecond === null ? null : { count: nodesPerSecond, perSeconds: 1 };
}
