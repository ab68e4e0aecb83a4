import { StoreUnavailable } from "../store-error.ts";

/** The five-letter code a database gave with its refusal, '' when the error is of another kind. */
export function sqlState(error: unknown): string {
  if (error instanceof StoreUnavailable) return sqlState(error.cause);
  const isCoded = typeof error === "object" && error !== null && "code" in error;
  return isCoded && typeof error.code === "string" ? error.code : "";
}

export const NOT_NULL = "23502";
/** A unique key is another row's. */
export const TAKEN = "23505";
const COUNTERS: ReadonlySet<unknown> = new Set(["agent_counters", "envelope_counters"]);

/** The column that refused stands in a table of counters: a limit would have been passed. */
export function isLimitPassed(error: unknown): boolean {
  return sqlState(error) === NOT_NULL && isIn(error, COUNTERS);
}

export function isIn(error: unknown, tables: ReadonlySet<unknown>): boolean {
  return typeof error === "object" && error !== null && "table" in error && tables.has(error.table);
}
