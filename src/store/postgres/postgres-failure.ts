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

/** Translates an error of the driver into an error of the store. */
export function toStoreError(error: unknown): Error {
  if (error instanceof StoreUnavailable) return error;
  if (error instanceof Error && isProgramError(error)) return error;
  if (error instanceof DatabaseError && error.code === MOVING_STATE)
    return new OrganisationMoving(error.message, error);
  if (isRefusedStart(error)) return new PoolerUnsupported(`refuses startup parameters (${error.message})`, error);
  if (error instanceof DatabaseError && !isDatabaseTrouble(error.code ?? "")) return error;
  const reason = error instanceof Error ? reasonOf(error) : String(error);
  return new StoreUnavailable(`the database cannot be used now: ${reason}`, { cause: error });
}

/** PgBouncer returns this error for parameters it does not know. Postgres knows all parameters we send. */
function isRefusedStart(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.code === "08P01" && error.message.includes("startup parameter");
}

/** Builds the error for the case that no host could be used. With several hosts, it names each with its reason. */
export function noHostError(failures: readonly HostFailure[]): Error {
  const [only] = failures;
  const refused = failures.find(({ cause }) => isRefusedStart(cause));
  if (refused !== undefined) return toStoreError(refused.cause);
  if (only !== undefined && failures.length === 1) return toStoreError(only.cause);
  const reasons = failures.map(({ message, cause }) => `${message}: ${cause instanceof Error ? reasonOf(cause) : ""}`);
  return new StoreUnavailable(`no host of the database takes writes now: ${reasons.join("; ")}`, { cause: only });
}

/** True when the host no longer leads, or is about to stop. The same statement works on the new leader. */
export function isReadOnly(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  return cause instanceof DatabaseError && cause.code === READ_ONLY;
}

const READ_ONLY = "25006";

/** True when a prepared statement is missing on its connection, or exists there because another session prepared it. */
export function isLostStatement(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  return cause instanceof DatabaseError && (cause.code === "26000" || cause.code === "42P05");
}

/** SQLSTATEs that end a connection: by the server (operator, resources, idle transaction, protocol, sign-in), or by us (read only). */
const ENDING = /^(?:08|28|53|57P|XX)|^25P03$|^25006$/;

/** True when the database rejected a statement and the same connection is ready for the next one. */
export function isAnswer(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  return cause instanceof DatabaseError && !ENDING.test(cause.code ?? "08");
}

/** Several addresses of one host fail together, as an AggregateError without a message of its own. */
function reasonOf(error: Error): string {
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join("; ");
}
