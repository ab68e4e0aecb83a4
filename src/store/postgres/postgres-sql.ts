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
import { LeaderWatch } from "./leader-watch.ts";
import { isAnswer, isLostStatement, isReadOnly, toStoreError, noHostError } from "./postgres-failure.ts";

export interface PostgresOptions {
  readonly url: string;
  /** Maximum number of connections; default: 10. */
  readonly connections?: number;
  /** Time after which a statement is cancelled; default: 30 s. */
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
}

export interface PostgresSql extends Sql {
  /** Fails with `PoolerUnsupported` when a prepared statement is lost after its transaction. Uses two connections. */
  checkPooler(): Promise<void>;
}

/** Time after the statement timeout of the server at which a silent connection counts as dead. */
const SILENCE_MS = 5_000;

/** Connect timeout per host when there are several. It is shorter than for a single host, because others can be tried. */
const HOST_CONNECT_MS = 2_000;

/**
 * Each statement has one good plan, and planning a lone commit again costs as much as writing it. The plan must use indexes even while
 * statistics show a nearly empty table: it is kept longer than the statistics are valid, and would otherwise scan the whole table after it
 * has grown.
 */
const PLANNING = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off";

/**
 * Opens a database server, or several of which one leads. The first query connects, and after a lost connection the next query
 * connects again. While the database is unreachable, queries fail with `StoreUnavailable`, and the process continues.
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
    // Also the time for which a caller waits for a free connection of the pool.
    connectionTimeoutMillis: connectTimeoutMs,
    Client: leaderClients(search, settings),
  });
  // Without listeners, a dying connection, idle or in use, would end the process. Its user gets the error anyway.
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  const link = { pool, search, watch: new LeaderWatch(search, settings) };
  let closing: Promise<void> | null = null;
  return {
    query: (statement, params) =>
      statement.skipsMovingOrganisation === true
        ? queryWithSkipRetry(link, statement, params)
        : askOnce(link, statement, params),
    transaction: (work) => inTransaction(link, work),
    checkPooler: () => checkPooler(link),
    close: () => (closing ??= pool.end()),
  };
}

/** The parts that a statement needs to reach the leader. */
interface Link {
  readonly pool: Pool;
  readonly search: LeaderSearch;
  readonly watch: LeaderWatch;
}

function ignore(): void {}

/** Reads `bigint` as a number, which is exact because instants and money stay below 2^53. */
const parserOf: CustomTypesConfig["getTypeParser"] = (id, format) =>
  id === types.builtins.INT8 ? Number : types.getTypeParser(id, format);

interface Asked {
  query(config: QueryConfig): Promise<QueryResult>;
}

/**
 * Unlike `Pool.query`, keeps the connection after an ordinary error. `Pool.query` drops it after every error, even when
 * a commit is rejected because it would exceed a limit. With several replicas that happens many times a second.
 */
async function askOnce<Row>(link: Link, statement: Statement, params?: readonly SqlValue[]): Promise<readonly Row[]> {
  const client = await connect(link);
  let isBroken = false;
  try {
    return await link.watch.during(() => ask<Row>(client, statement, params));
  } catch (error) {
    isBroken = !isAnswer(error);
    if (isReadOnly(error)) link.search.demote(client);
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** Triggers of a leaving organisation reject the whole statement. The repetition then skips the rows of that organisation. */
async function queryWithSkipRetry<Row>(
  link: Link,
  statement: Statement,
  params?: readonly SqlValue[],
): Promise<readonly Row[]> {
  try {
    return await askOnce<Row>(link, statement, params);
  } catch (error) {
    if (!(error instanceof OrganisationMoving)) throw error;
    return inTransaction(link, async (within) => {
      await within.query(SKIP_ORGANISATION, [error.orgId]);
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
    throw toStoreError(error);
  }
}

/** Connects to the leader. Tries each host once, and closes connections to a previous leader. */
async function connect({ pool, search }: Link): Promise<PoolClient> {
  const failures: HostFailure[] = [];
  for (;;) {
    try {
      const client = await pool.connect();
      if (search.isCurrent(client)) return client;
      client.release(true);
    } catch (error) {
      if (!(error instanceof HostFailure)) throw toStoreError(error);
      failures.push(error);
      if (failures.length >= search.hosts.length) throw noHostError(failures);
    }
  }
}

async function inTransaction<T>(link: Link, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await connect(link);
  const within: Sql = {
    query: (statement, params) => link.watch.during(() => ask(client, statement, params)),
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
 * Checks that prepared statements work. A pooler in transaction mode now lends the connection with our statement to the second
 * client. The first client's next transaction gets a connection without the statement, unless the pooler prepares it there.
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
      // Closing the connection also ends its transaction.
      second.release(true);
    }
  } catch (error) {
    throw isLostStatement(error) ? new PoolerUnsupported("loses prepared statements", error) : error;
  } finally {
    first.release(true);
  }
}

const SKIP_ORGANISATION = { name: "", text: "select set_config('sluice.pass_over', $1, true)" };
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
