/** What the API says about the memories of agents, as types. */
export interface MemoryEntry {
  /** The memory it is kept in. */
  readonly profile: string;
  /** ISO 8601. */
  readonly at: string;
  readonly workflow: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly attempt: number;
  /** The beginning of what the agent answered. */
  readonly text: string;
}
