import { DatabaseError } from "pg";
import { StoreUnavailable } from "../store/index.ts";

/** Classes of SQLSTATE that speak of the server and not of the statement: connection, resources, operator, system. */
const SERVER_CLASSES = new Set(["08", "53", "57", "58"]);
/** A server that became a standby refuses to write; soon another one, or a new connection, will take it. */
const READ_ONLY = "25006";

/** What the database said, or that it could not be asked. */
export function translated(error: unknown): Error {
  if (error instanceof StoreUnavailable) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? "";
    if (!SERVER_CLASSES.has(code.slice(0, 2)) && code !== READ_ONLY) return error;
  }
  const reason = error instanceof Error ? reasonOf(error) : String(error);
  return new StoreUnavailable(`the database cannot be used now: ${reason}`, { cause: error });
}

/** Several addresses of one host fail together, and the sum of them has no message of its own. */
function reasonOf(error: Error): string {
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join("; ");
}
