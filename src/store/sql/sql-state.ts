import { StoreUnavailable } from "../store-error.ts";

/** Returns the five-character SQLSTATE of a database error; '' for any other error. */
export function sqlState(error: unknown): string {
  if (error instanceof StoreUnavailable) return sqlState(error.cause);
  const isCoded = typeof error === "object" && error !== null && "code" in error;
  return isCoded && typeof error.code === "string" ? error.code : "";
}

export const NOT_NULL = "23502";
/** A unique key already exists in another row. */
export const TAKEN = "23505";
const COUNTERS: ReadonlySet<unknown> = new Set(["agent_counters", "envelope_counters"]);

/** True when a not-null column of a counter table rejected the change, because a limit would have been exceeded. */
export function isLimitPassed(error: unknown): boolean {
  return sqlState(error) === NOT_NULL && isIn(error, COUNTERS);
}

export function isIn(error: unknown, tables: ReadonlySet<unknown>): boolean {
  return typeof error === "object" && error !== null && "table" in error && tables.has(error.table);
}
