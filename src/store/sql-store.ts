import { checkSchema, migrate } from "./migrations/migrate.ts";
import type { Sql } from "./sql.ts";
import { sqlKeys } from "./sql/sql-keys.ts";
import { sqlReplicas } from "./sql/sql-replicas.ts";
import { sqlRuns } from "./sql/sql-runs.ts";
import { sqlWorkflows } from "./sql/sql-workflows.ts";
import type { Store } from "./store.ts";

/** The store contract on a database. */
export function createSqlStore(sql: Sql): Store {
  return {
    ...sqlRuns(sql),
    ...sqlWorkflows(sql),
    ...sqlKeys(sql),
    ...sqlReplicas(sql),
    migrate: () => migrate(sql),
    ping: () => checkSchema(sql),
    close: () => sql.close(),
  };
}
