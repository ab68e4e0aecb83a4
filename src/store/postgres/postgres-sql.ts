import {
  Pool,
  types,
  type ClientConfig,
  type CustomTypesConfig,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
} from "pg";
import { Bug } from "../../core/base/index.ts";
import {
  OrganisationMoving,
  PoolerUnsupported,
  readDatabaseHosts,
  type Sql,
  type SqlValue,
  type Statement,
} from "../index.ts";
import { HostFailure, leaderClients } from "./leader-client.ts";
import { LeaderSearch } from "./leader-search.ts";
import { Lookout } from "./lookout.ts";
import { isAnswer, isLostStatement, isReadOnly, translated, unreached } from "./postgres-failure.ts";

export interface PostgresOptions {
  readonly url: string;
  /** Connections at most; default: 10. */
  readonly connections?: number;
  /** A statement that takes longer is given up; default: 30 s. */
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
}

export interface PostgresSql extends Sql {
  /** Fails with `PoolerUnsupported` when a prepared statement does not outlive its transaction. Takes two connections. */
  checkPooler(): Promise<void>;
}

/** How long after the server should have given up a statement the connection counts as dead. */
const SILENCE_MS = 5_000;

/** With several hosts, one that does not answer is not waited for as long as the only one would be. */
const HOST_CONNECT_MS = 2_000;

/**
 * Each statement has one good plan; planning it again costs a lone commit as much as writing it. That plan goes by index also while the
 * statistics say that a table is nearly empty: it outlives them, and would read the whole of a table that has grown since.
 */
const PLANNING = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off";

/**
 * A database server, or several of which one leads. Connecting happens with the first query, and again with the next one
 * after it was lost: a database that is away makes queries fail with `StoreUnavailable` and never ends the process.
 */
export function openPostgres(options: PostgresOptions): PostgresSql {
  const { url, connections = 10, statementTimeoutMs = 30_000, connectTimeoutMs = 5_000 } = options;
  const search = new LeaderSearch(readDatabaseHosts(url));
  const settings: ClientConfig = {
    connectionTimeoutMillis: search.hosts.length > 1 ? Math.min(HOST_CONNECT_MS, connectTimeoutMs) : connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + SILENCE_MS,
    keepAlive: true,
    application_name: "sluice",
    options: PLANNING,
    types: { getTypeParser: parserOf },
  };
  const pool = new Pool({
    max: connections,
    // Also how long a caller waits for a connection of the pool to become free.
    connectionTimeoutMillis: connectTimeoutMs,
    Client: leaderClients(search, settings),
  });
  // Without listeners a connection that dies, idle or lent out, would end the process; its user gets the error.
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  const link = { pool, search, lookout: new Lookout(search, settings) };
  let closing: Promise<void> | null = null;
  return {
    query: (statement, params) =>
      statement.passesOver === true ? askPassingOver(link, statement, params) : askOnce(link, statement, params),
    transaction: (work) => inTransaction(link, work),
    checkPooler: () => checkPooler(link),
    close: () => (closing ??= pool.end()),
  };
}

/** What a statement passes through on its way to the host that leads. */
interface Link {
  readonly pool: Pool;
  readonly search: LeaderSearch;
  readonly lookout: Lookout;
}

function ignore(): void {}

/** Instants and money stay below 2^53. */
const parserOf: CustomTypesConfig["getTypeParser"] = (id, format) =>
  id === types.builtins.INT8 ? Number : types.getTypeParser(id, format);

interface Asked {
  query(config: QueryConfig): Promise<QueryResult>;
}

/**
 * `Pool.query` throws a connection away after every error, also after one that is part of the day: a commit that
 * would pass a
 * limit is refused, and with several replicas that happens many times a second.
 */
async function askOnce<Row>(link: Link, statement: Statement, params?: readonly SqlValue[]): Promise<readonly Row[]> {
  const client = await connect(link);
  let isBroken = false;
  try {
    return await link.lookout.during(() => ask<Row>(client, statement, params));
  } catch (error) {
    isBroken = !isAnswer(error);
    if (isReadOnly(error)) link.search.demote(client);
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** The triggers of an organisation that is leaving refuse the statement as a whole; asked again, they leave its rows as they are. */
async function askPassingOver<Row>(
  link: Link,
  statement: Statement,
  params?: readonly SqlValue[],
): Promise<readonly Row[]> {
  try {
    return await askOnce<Row>(link, statement, params);
  } catch (error) {
    if (!(error instanceof OrganisationMoving)) throw error;
    return inTransaction(link, async (within) => {
      await within.query(PASS_OVER, [error.orgId]);
      return within.query<Row>(statement, params);
    });
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

/** A connection to the host that leads: each host has its turn once, and connections to one that led before are closed. */
async function connect({ pool, search }: Link): Promise<PoolClient> {
  const failures: HostFailure[] = [];
  for (;;) {
    try {
      const client = await pool.connect();
      if (search.isCurrent(client)) return client;
      client.release(true);
    } catch (error) {
      if (!(error instanceof HostFailure)) throw translated(error);
      failures.push(error);
      if (failures.length >= search.hosts.length) throw unreached(failures);
    }
  }
}

async function inTransaction<T>(link: Link, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await connect(link);
  const within: Sql = {
    query: (statement, params) => link.lookout.during(() => ask(client, statement, params)),
    transaction: () => Promise.reject(new Bug("a transaction inside a transaction")),
    close: () => Promise.reject(new Bug("a transaction cannot close the database")),
  };
  let isBroken = false;
  try {
    await within.query(BEGIN);
    const result = await work(within);
    await within.query(COMMIT);
    return result;
  } catch (error) {
    if (isReadOnly(error)) link.search.demote(client);
    isBroken = isReadOnly(error) || !(await hasRolledBack(within));
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/**
 * A pooler that lends a server connection for each transaction lends the one with our statement to another client now:
 * the next transaction gets a connection where it was never prepared, unless the pooler prepares it there.
 */
async function checkPooler(link: Link): Promise<void> {
  const first = await connect(link);
  try {
    await ask(first, PROBE);
    const second = await connect(link);
    try {
      await ask(second, BEGIN);
      await ask(second, HOLD);
      await ask(first, PROBE);
    } finally {
      // Ended with its transaction.
      second.release(true);
    }
  } catch (error) {
    throw isLostStatement(error) ? new PoolerUnsupported("loses prepared statements", error) : error;
  } finally {
    first.release(true);
  }
}

const PASS_OVER = { name: "", text: "select set_config('sluice.pass_over', $1, true)" };
const PROBE = { name: "pooler probe", text: "select 1 as found" };
const HOLD = { name: "", text: "select 1 as held" };
const BEGIN = { name: "", text: "begin" };
const COMMIT = { name: "", text: "commit" };
const ROLLBACK = { name: "", text: "rollback" };

async function hasRolledBack(within: Sql): Promise<boolean> {
  try {
    await within.query(ROLLBACK);
    return true;
  } catch {
    return false;
  }
}
