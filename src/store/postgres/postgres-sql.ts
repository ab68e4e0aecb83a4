import { Pool, types, type CustomTypesConfig, type PoolClient, type QueryConfig, type QueryResult } from "pg";
import { Bug } from "../../core/base/index.ts";
import { type Sql, type SqlValue, type Statement } from "../index.ts";
import { isAnswer, translated } from "./postgres-failure.ts";

export interface PostgresOptions {
  readonly url: string;
  /** Connections at most; default: 10. */
  readonly connections?: number;
  /** A statement that takes longer is given up; default: 30 s. */
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
}

/** How long after the server should have given up a statement the connection counts as dead. */
const SILENCE_MS = 5_000;

/**
 * A database server. Connecting happens with the first query, and again with the next one after it was lost: a database
 * that is away makes queries fail with `StoreUnavailable` and never ends the process.
 */
export function openPostgres(options: PostgresOptions): Sql {
  const { url, connections = 10, statementTimeoutMs = 30_000, connectTimeoutMs = 5_000 } = options;
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + SILENCE_MS,
    keepAlive: true,
    application_name: "sluice",
    // Each statement has one good plan; planning it anew cost a lone commit as much as writing it.
    options: "-c plan_cache_mode=force_generic_plan",
    types: { getTypeParser: parserOf },
  });
  // Without listeners a connection that dies, idle or lent out, would end the process; its user gets the error.
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  let closing: Promise<void> | null = null;
  return {
    query: (statement, params) => askOnce(pool, statement, params),
    transaction: (work) => inTransaction(pool, work),
    close: () => (closing ??= pool.end()),
  };
}

function ignore(): void {}

/** Instants and money stay below 2^53. */
const parserOf: CustomTypesConfig["getTypeParser"] = (id, format) =>
  id === types.builtins.INT8 ? Number : types.getTypeParser(id, format);

interface Asked {
  query(config: QueryConfig): Promise<QueryResult>;
}

/**
 * `Pool.query` throws a connection away after every error, also after one that is part of the day: a commit that would pass a
 * limit is refused, and with several replicas that happens many times a second.
 */
async function askOnce<Row>(pool: Pool, statement: Statement, params?: readonly SqlValue[]): Promise<readonly Row[]> {
  const client = await connect(pool);
  let isBroken = false;
  try {
    return await ask<Row>(client, statement, params);
  } catch (error) {
    isBroken = !isAnswer(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
}

async function ask<Row>(
  asked: Asked,
  { name, text }: Statement,
  params: readonly SqlValue[] = [],
): Promise<readonly Row[]> {
  try {
    const values = [...params];
    const { rows } = await asked.query(name === "" ? { text, values } : { name, text, values });
    return rows as Row[];
  } catch (error) {
    throw translated(error);
  }
}

function connect(pool: Pool): Promise<PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw translated(error);
  });
}

async function inTransaction<T>(pool: Pool, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await connect(pool);
  const within: Sql = {
    query: (statement, params) => ask(client, statement, params),
    transaction: () => Promise.reject(new Bug("a transaction inside a transaction")),
    close: () => Promise.reject(new Bug("a transaction cannot close the database")),
  };
  let isBroken = false;
  try {
    await ask(client, BEGIN);
    const result = await work(within);
    await ask(client, COMMIT);
    return result;
  } catch (error) {
    isBroken = !(await hasRolledBack(client));
    throw error;
  } finally {
    client.release(isBroken);
  }
}

const BEGIN = { name: "", text: "begin" };
const COMMIT = { name: "", text: "commit" };
const ROLLBACK = { name: "", text: "rollback" };

async function hasRolledBack(client: PoolClient): Promise<boolean> {
  try {
    await ask(client, ROLLBACK);
    return true;
  } catch {
    return false;
  }
}
