import { DatabaseError } from "pg";
import { isDatabaseTrouble, isProgramError, StoreUnavailable } from "../index.ts";

/** What the database answered, or that it could not be asked. */
export function translated(error: unknown): Error {
  if (error instanceof StoreUnavailable) return error;
  if (error instanceof Error && isProgramError(error)) return error;
  if (error instanceof DatabaseError && !isDatabaseTrouble(error.code ?? "")) return error;
  const reason = error instanceof Error ? reasonOf(error) : String(error);
  return new StoreUnavailable(`the database cannot be used now: ${reason}`, { cause: error });
}

/** After these the server ends the connection: operator, resources, idle transactions, wrong protocol, sign-in. */
const ENDING = /^(?:08|28|53|57P|XX)|^25P03$/;

/** Whether the database refused a statement and is ready for the next one on the same connection. */
export function isAnswer(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  return cause instanceof DatabaseError && !ENDING.test(cause.code ?? "08");
}

/** Several addresses of one host fail together, and the sum of them has no message of its own. */
function reasonOf(error: Error): string {
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join("; ");
}
