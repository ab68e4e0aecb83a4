import type { PGlite } from "@electric-sql/pglite";
import { isDatabaseTrouble, isProgramError, type SqlValue, type Statement, StoreUnavailable } from "../index.ts";
import { Connection } from "./connection.ts";

interface Opened {
  readonly database: PGlite;
  readonly connection: Connection;
}

/** Minimum time between two attempts to reopen. Reopening takes seconds of work, so requests in between are rejected at once. */
const REOPEN_MS = 2_000;

/**
 * The engine of an embedded database. A broken engine (its disk was full while it wrote its log, or its program ended)
 * never answers again: it is dropped, and a new one is opened on the same files, which recovers what was committed.
 */
export class Engine {
  readonly #open: () => Promise<PGlite>;
  readonly #now: () => number;
  #current: Opened | null;
  #triedAt = -REOPEN_MS;

  constructor(database: PGlite, open: () => Promise<PGlite>, now: () => number = () => performance.now()) {
    this.#open = open;
    this.#now = now;
    this.#current = { database, connection: new Connection(database) };
  }

  async connection(): Promise<Connection> {
    const current = this.#current ?? (await this.#reopen());
    this.#current = current;
    return current.connection;
  }

  /** Runs a statement. An error that the statement did not cause is thrown as `StoreUnavailable`. */
  async ask<Row>(connection: Connection, statement: Statement, params?: readonly SqlValue[]): Promise<readonly Row[]> {
    try {
      return await connection.ask<Row>(statement, params);
    } catch (error) {
      if (isProgramError(error)) throw error;
      const { code, severity } = answerOf(error);
      // A broken engine is not used again, not even to close it: it may never answer.
      if (code === null || severity === "PANIC" || severity === "FATAL") this.#current = null;
      else if (!isDatabaseTrouble(code)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new StoreUnavailable(`the embedded database cannot be used now: ${reason}`, { cause: error });
    }
  }

  isOpen(connection: Connection): boolean {
    return this.#current?.connection === connection;
  }

  async close(): Promise<void> {
    await this.#current?.database.close();
  }

  async #reopen(): Promise<Opened> {
    const sinceLast = this.#now() - this.#triedAt;
    if (sinceLast < REOPEN_MS) throw new StoreUnavailable("the embedded database broke, and is opened again soon");
    this.#triedAt = this.#now();
    try {
      const database = await this.#open();
      return { database, connection: new Connection(database) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StoreUnavailable(`the embedded database cannot be opened again: ${reason}`, { cause: error });
    }
  }
}

/** Returns code and severity of a database error. Any other error means that the engine itself broke, and has no code. */
function answerOf(error: unknown): { readonly code: string | null; readonly severity: unknown } {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string")
    return { code: null, severity: undefined };
  return { code: error.code, severity: "severity" in error ? error.severity : undefined };
}
