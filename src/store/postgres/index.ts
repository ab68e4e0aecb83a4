export { openPostgres } from "./postgres-sql.ts";
export { type HostState, type LeaderSettings, readReplication } from "./replication.ts";
