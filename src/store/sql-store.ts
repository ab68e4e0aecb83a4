import { checkSchema, migrate } from "./migrations/migrate.ts";
import type { Sql } from "./sql.ts";
import { sqlAudit } from "./sql/sql-audit.ts";
import { sqlGateways } from "./sql/sql-gateways.ts";
import { sqlGovernance } from "./sql/sql-governance.ts";
import { sqlKeys } from "./sql/sql-keys.ts";
import { sqlRegistry } from "./sql/sql-registry.ts";
import { sqlReplicas } from "./sql/sql-replicas.ts";
import { sqlReports } from "./sql/sql-reports.ts";
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
    ...sqlRegistry(sql),
    ...sqlGateways(sql),
    ...sqlReports(sql),
    ...sqlAudit(sql),
    ...sqlGovernance(sql),
    migrate: () => migrate(sql),
    ping: () => checkSchema(sql),
    close: () => sql.close(),
  };
}
