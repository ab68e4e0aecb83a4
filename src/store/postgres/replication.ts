import { Client } from "pg";
import { type DatabaseHost, readDatabaseHosts } from "../index.ts";

/** One server of a database, as it answers about itself. */
export type HostState = { readonly name: string } & (
  | { readonly role: "unreachable"; readonly reason: string }
  | { readonly role: "standby" }
  | ({ readonly role: "leader" } & LeaderSettings)
);

/** What decides whether an acknowledged commit outlives the leader. */
export interface LeaderSettings {
  readonly fsync: boolean;
  readonly synchronousCommit: string;
  /** Empty: no commit waits for a standby. */
  readonly synchronousStandbyNames: string;
  readonly standbys: number;
  /** Null: the user of the database may not see it (`pg_monitor`). */
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

/** Asks every host that a database URL names, each by itself. */
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
