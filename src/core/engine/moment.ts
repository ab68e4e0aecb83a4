/** Facts about an agent that are known before the gates are queried. A person sees them at the gate of a step. */
export interface KnownAgent {
  readonly trustLevel: number;
  readonly provider: string | null;
  readonly model: string | null;
}

/** The circumstances at the time an input arrives. */
export interface Moment {
  readonly at: number;
  readonly jitter: number;
  /** Registered agents by id. Absent when none are known. */
  readonly agents?: ReadonlyMap<string, KnownAgent> | undefined;
  /** The model the run was started with. Absent when none was named. */
  readonly model?: string | null | undefined;
  /** True when the judge counts the nodes of blocks with those of their run. A node that runs a block then fills no place itself. */
  readonly countsBlocks?: boolean | undefined;
  /** True when the workflow or the organisation is paused: nothing of the run begins. */
  readonly isPausedAround?: boolean | undefined;
}
