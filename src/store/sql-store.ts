import { checkSchema, migrate } from "./migrations/migrate.ts";
import type { Sql } from "./sql.ts";
import { sqlAgentMemory } from "./sql/sql-agent-memory.ts";
import { sqlAlerts } from "./sql/sql-alerts.ts";
import { sqlApprovalInbox } from "./sql/sql-approval-inbox.ts";
import { sqlAudit } from "./sql/sql-audit.ts";
import { sqlBacklog } from "./sql/sql-backlog.ts";
import { sqlChannels } from "./sql/sql-channels.ts";
import { sqlDeliveries } from "./sql/sql-deliveries.ts";
import { sqlErasure } from "./sql/sql-erasure.ts";
import { sqlEvents } from "./sql/sql-events.ts";
import { sqlFeeds } from "./sql/sql-feeds.ts";
import { sqlSearch } from "./sql/sql-search.ts";
import { sqlFiles } from "./sql/sql-files.ts";
import { sqlGateways } from "./sql/sql-gateways.ts";
import { sqlGovernance } from "./sql/sql-governance.ts";
import { sqlHistory } from "./sql/sql-history.ts";
import { sqlHooks } from "./sql/sql-hooks.ts";
import { sqlInvitations } from "./sql/sql-invitations.ts";
import { sqlKeys } from "./sql/sql-keys.ts";
import { sqlLaunchApprovals } from "./sql/sql-launch-approvals.ts";
import { sqlLive } from "./sql/sql-live.ts";
import { sqlMemberships } from "./sql/sql-memberships.ts";
import { sqlOrganisations } from "./sql/sql-organisations.ts";
import { sqlPersons } from "./sql/sql-persons.ts";
import { sqlRegistry } from "./sql/sql-registry.ts";
import { sqlReplicas } from "./sql/sql-replicas.ts";
import { sqlReports } from "./sql/sql-reports.ts";
import { sqlRuns } from "./sql/sql-runs.ts";
import { sqlSchedules } from "./sql/sql-schedules.ts";
import { sqlTriggers } from "./sql/sql-triggers.ts";
import { sqlSecrets } from "./sql/sql-secrets.ts";
import { sqlSessions } from "./sql/sql-sessions.ts";
import { sqlViews } from "./sql/sql-views.ts";
import { makeFirstPartitions, sqlPartitions } from "./sql/sql-partitions.ts";
import { sqlPauses } from "./sql/sql-pauses.ts";
import { sqlPlaces } from "./sql/sql-places.ts";
import { sqlWaiting } from "./sql/sql-waiting.ts";
import { sqlWork } from "./sql/sql-work.ts";
import { sqlWorkflows } from "./sql/sql-workflows.ts";
import type { Store } from "./store.ts";

/** The store contract on an SQL database. */
export function createSqlStore(sql: Sql): Store {
  return {
    ...sqlRuns(sql),
    ...sqlApprovalInbox(sql),
    ...sqlWorkflows(sql),
    ...sqlKeys(sql),
    ...sqlPersons(sql),
    ...sqlOrganisations(sql),
    ...sqlMemberships(sql),
    ...sqlInvitations(sql),
    ...sqlSessions(sql),
    ...sqlReplicas(sql),
    ...sqlWaiting(sql),
    ...sqlPlaces(sql),
    ...sqlPauses(sql),
    ...sqlBacklog(sql),
    ...sqlEvents(sql),
    ...sqlLive(sql),
    ...sqlRegistry(sql),
    ...sqlGateways(sql),
    ...sqlReports(sql),
    ...sqlAudit(sql),
    ...sqlGovernance(sql),
    ...sqlAgentMemory(sql),
    ...sqlLaunchApprovals(sql),
    ...sqlFeeds(sql),
    ...sqlDeliveries(sql),
    ...sqlChannels(sql),
    ...sqlHooks(sql),
    ...sqlAlerts(sql),
    ...sqlSchedules(sql),
    ...sqlSecrets(sql),
    ...sqlFiles(sql),
    ...sqlSearch(sql),
    ...sqlHistory(sql),
    ...sqlPartitions(sql),
    ...sqlErasure(sql),
    ...sqlTriggers(sql),
    ...sqlViews(sql),
    ...sqlWork(sql),
    migrate: async () => {
      await migrate(sql);
      await makeFirstPartitions(sql);
    },
    ping: () => checkSchema(sql),
    close: () => sql.close(),
  };
}
