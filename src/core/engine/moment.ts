/** What is known of an agent before the gates are asked: what a person sees of it at the gate of a step. */
export interface KnownAgent {
  readonly trustLevel: number;
  readonly provider: string | null;
  readonly model: string | null;
}

/** What is so when an input arrives. */
export interface Moment {
  readonly at: number;
  readonly jitter: number;
  /** Registered agents, by id; absent: none is known. */
  readonly agents?: ReadonlyMap<string, KnownAgent> | undefined;
  /** The model the run was started with; absent: none was named. */
  readonly model?: string | null | undefined;
  /** The judge counts the nodes of blocks with those of their run: a node that runs a block fills no place itself. */
  readonly countsBlocks?: boolean | undefined;
  /** Its workflow or its organisation is paused: nothing of it begins. */
  readonly isPausedAround?: boolean | undefined;
}
