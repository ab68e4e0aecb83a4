/** Tables whose rows come and go. Rows that are only added need no vacuum. */
const TABLES = [
  "audit_pending",
  "open_attempts",
  "waiting_nodes",
  "run_heads",
  "agent_counters",
  "timers",
  "run_places",
  "event_blocks",
] as const;

/** Writes after which one of them is vacuumed: often, so that each time there is little to do. */
const WRITES_PER_VACUUM = 74;

/**
 * An embedded database has no process that vacuums it by itself. Without a vacuum, rows that were deleted stay in the way
 * of every scan: under load the reading of the few open audit records took 350 ms after 18,000 runs.
 */
export class Vacuum {
  #writes = 0;
  #next = 0;

  /** To be called after each write; the statement to run now, if it is time for one. */
  afterWrite(): string | null {
    this.#writes += 1;
    if (this.#writes < WRITES_PER_VACUUM) return null;
    this.#writes = 0;
    const table = TABLES[this.#next % TABLES.length] ?? TABLES[0];
    this.#next += 1;
    return `vacuum (skip_locked) ${table}`;
  }
}
