import type { Sql, Store } from "../store/index.ts";

/** One database of the installation: a cell, or the directory beside the cells. */
export interface FleetCell {
  readonly name: string;
  /** For people: host, port and database. */
  readonly shown: string;
  /** Takes new organisations. */
  readonly accepts: boolean;
  readonly sql: Sql;
  /** Over the same connections. */
  readonly store: Store;
  /** Connections of their own with time for long statements. */
  readonly openLong: () => Sql;
}
