import { StoreUnavailable } from "../store-error.ts";

/** The five-letter code a database gave with its refusal, '' when the error is of another kind. */
export function sqlState(error: unknown): string {
  if (error instanceof StoreUnavailable) return sqlState(error.cause);
  const isCoded = typeof error === "object" && error !== null && "code" in error;
  return isCoded && typeof error.code === "string" ? error.code : "";
}
