import { Client } from "pg";
import { type DatabaseHost, readDatabaseHosts } from "../index.ts";

/** The state of one database server, as the server reports it. */
export type HostState = { readonly name: string } & (
  | { readonly role: "unreachable"; readonly reason: string }
  | { readonly role: "standby" }
  | ({ readonly role: "leader" } & LeaderSettings)
);

/** Settings that decide whether an acknowledged commit survives the loss of the leader. */
export interface LeaderSettings {
  readonly fsync: boolean;
  readonly synchronousCommit: string;
  /** Empty when commits wait for no standby. */
  readonly synchronousStandbyNames: string;
  readonly standbys: number;
  /** Number of synchronous standbys; null when the database user has no permission to see it (`pg_monitor`). */
  readonly synchronousStandbys: number | null;
}

const CONNECT_MS = 5_000;

const STATE = `select pg_is_in_recovery() as is_standby,
  current_setting('fsync') = 'on' as fsync,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('synchronous_standby_names') as synchronous_standby_names,
  (select count(*)::int from pg_stat_replication where state is null or state = 'streaming') as standbys,
  (select count(*)::int from pg_stat_replication where sync_state in ('sync', 'quorum')) as synchronous,
  exists (select from pg_stat_replication where state is null) as is_hidden`;

interface StateRow {
  readonly is_standby: boolean;
  readonly fsync: boolean;
  readonly synchronous_commit: string;
  readonly synchronous_standby_names: string;
  readonly standbys: number;
  readonly synchronous: number;
  readonly is_hidden: boolean;
}

/** Reads the state of every host in a database URL, each over its own connection. */
export function readReplication(url: string): Promise<readonly HostState[]> {
  return Promise.all(readDatabaseHosts(url).map(askHost));
}

async function askHost({ name, url }: DatabaseHost): Promise<HostState> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<StateRow>(STATE);
    const [row] = rows;
    if (row === undefined || row.is_standby) return { name, role: "standby" };
    return {
      name,
      role: "leader",
      fsync: row.fsync,
      synchronousCommit: row.synchronous_commit,
      synchronousStandbyNames: row.synchronous_standby_names,
      standbys: row.standbys,
      synchronousStandbys: row.is_hidden ? null : row.synchronous,
    };
  } catch (error) {
    return { name, role: "unreachable", reason: error instanceof Error ? error.message : String(error) };
  } finally {
    client.end().catch(() => undefined);
  }
}
