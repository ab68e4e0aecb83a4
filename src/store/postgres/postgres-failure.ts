import { DatabaseError } from "pg";
import {
  isDatabaseTrouble,
  isProgramError,
  MOVING_STATE,
  OrganisationMoving,
  PoolerUnsupported,
  StoreUnavailable,
} from "../index.ts";
import type { HostFailure } from "./leader-client.ts";

/** What the database answered, or that it could not be asked. */
export function translated(error: unknown): Error {
  if (error instanceof StoreUnavailable) return error;
  if (error instanceof Error && isProgramError(error)) return error;
  if (error instanceof DatabaseError && error.code === MOVING_STATE)
    return new OrganisationMoving(error.message, error);
  if (isRefusedStart(error)) return new PoolerUnsupported(`refuses startup parameters (${error.message})`, error);
  if (error instanceof DatabaseError && !isDatabaseTrouble(error.code ?? "")) return error;
  const reason = error instanceof Error ? reasonOf(error) : String(error);
  return new StoreUnavailable(`the database cannot be used now: ${reason}`, { cause: error });
}

/** PgBouncer answers so to parameters it does not know; Postgres knows those we send. */
function isRefusedStart(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.code === "08P01" && error.message.includes("startup parameter");
}

/** No host of the database could be used; with several, each is named with its reason. */
export function unreached(failures: readonly HostFailure[]): Error {
  const [only] = failures;
  const refused = failures.find(({ cause }) => isRefusedStart(cause));
  if (refused !== undefined) return translated(refused.cause);
  if (only !== undefined && failures.length === 1) return translated(only.cause);
  const reasons = failures.map(({ message, cause }) => `${message}: ${cause instanceof Error ? reasonOf(cause) : ""}`);
  return new StoreUnavailable(`no host of the database takes writes now: ${reasons.join("; ")}`, { cause: only });
}

/** A host that leads no more, or is about to: the same statement will do on the one that leads then. */
export function isReadOnly(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  return cause instanceof DatabaseError && cause.code === READ_ONLY;
}

const READ_ONLY = "25006";

/** A prepared statement that is not where it was prepared, or is where another session prepared it. */
export function isLostStatement(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  return cause instanceof DatabaseError && (cause.code === "26000" || cause.code === "42P05");
}

/** After these the server ends the connection: operator, resources, idle transactions, wrong protocol, sign-in; or we do: a host that takes no writes. */
const ENDING = /^(?:08|28|53|57P|XX)|^25P03$|^25006$/;

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
