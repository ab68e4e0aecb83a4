import type { Sql, Store } from "../store/index.ts";

/** One database of the installation: a cell, or the separate directory. */
export interface FleetCell {
  readonly name: string;
  /** Text shown to people: host, port and database. */
  readonly shown: string;
  /** True when the cell accepts new organisations. */
  readonly accepts: boolean;
  readonly sql: Sql;
  /** The store over the same connections. */
  readonly store: Store;
  /** Fails with `PoolerUnsupported` when a pooler in front of the database cannot be used. */
  readonly checkPooler: () => Promise<void>;
  /** Opens separate connections with a longer timeout for long statements. */
  readonly openLong: () => Sql;
}
