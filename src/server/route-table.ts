import type { Route } from "./route.ts";
import { agentMemoryRoutes } from "./routes/agent-memory.ts";
import { applyRoutes } from "./routes/apply.ts";
import { approvalInboxRoutes } from "./routes/approval-inbox.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { cellRoutes } from "./routes/cells.ts";
import { channelRoutes } from "./routes/channels.ts";
import { auditRoutes } from "./routes/audit.ts";
import { backtestRoutes } from "./routes/backtest.ts";
import { blobRoutes } from "./routes/blobs.ts";
import { erasureRoutes } from "./routes/erasures.ts";
import { eventRoutes } from "./routes/events.ts";
import { legacyStreamRoutes, streamRoutes } from "./routes/event-stream.ts";
import { fileRoutes } from "./routes/files.ts";
import { gatewayRoutes } from "./routes/gateways.ts";
import { hookRoutes } from "./routes/hooks.ts";
import { invitationRoutes } from "./routes/invitations.ts";
import { keyRoutes } from "./routes/keys.ts";
import { liveRoutes } from "./routes/live.ts";
import { organisationRoutes } from "./routes/organisations.ts";
import { personRoutes } from "./routes/persons.ts";
import { platformRoutes } from "./routes/platform.ts";
import { provenanceRoutes } from "./routes/provenance.ts";
import { registryRoutes } from "./routes/registries.ts";
import { limitRoutes } from "./routes/limits.ts";
import { pauseRoutes } from "./routes/pauses.ts";
import { runActionRoutes } from "./routes/run-actions.ts";
import { runHistoryRoutes } from "./routes/run-history.ts";
import { runViewRoutes } from "./routes/run-views.ts";
import { runRoutes } from "./routes/runs.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { secretRoutes } from "./routes/secrets.ts";
import { sessionRoutes } from "./routes/session.ts";
import { simulateRoutes } from "./routes/simulate.ts";
import { threadRoutes } from "./routes/threads.ts";
import { triggerRoutes } from "./routes/triggers.ts";
import { turnRoutes } from "./routes/turns.ts";
import { trendRoutes } from "./routes/trends.ts";
import { viewRoutes } from "./routes/views.ts";
import { usageRoutes } from "./routes/usage.ts";
import { validateRoutes } from "./routes/validate.ts";
import { verdictRoutes } from "./routes/verdicts.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { workRoutes } from "./routes/work.ts";
import { workflowRoutes } from "./routes/workflows.ts";

export const BASE_PATH = "/api/v1";

/** Every route that needs a key, with its full path. */
export const ROUTES: readonly Route[] = [
  ...[
    ...validateRoutes,
    ...simulateRoutes,
    ...workflowRoutes,
    ...runRoutes,
    ...runViewRoutes,
    ...turnRoutes,
    ...provenanceRoutes,
    ...streamRoutes,
    ...liveRoutes,
    ...runActionRoutes,
    ...limitRoutes,
    ...pauseRoutes,
    ...runHistoryRoutes,
    ...erasureRoutes,
    ...eventRoutes,
    ...approvalInboxRoutes,
    ...approvalRoutes,
    ...blobRoutes,
    ...fileRoutes,
    ...keyRoutes,
    ...sessionRoutes,
    ...personRoutes,
    ...organisationRoutes,
    ...invitationRoutes,
    ...gatewayRoutes,
    ...threadRoutes,
    ...agentMemoryRoutes,
    ...auditRoutes,
    ...verdictRoutes,
    ...usageRoutes,
    ...trendRoutes,
    ...viewRoutes,
    ...backtestRoutes,
    ...registryRoutes,
    ...secretRoutes,
    ...scheduleRoutes,
    ...triggerRoutes,
    ...webhookRoutes,
    ...channelRoutes,
    ...hookRoutes,
    ...cellRoutes,
    ...applyRoutes,
    ...platformRoutes,
  ].map((route) => ({ ...route, path: `${BASE_PATH}${route.path}` })),
  ...legacyStreamRoutes,
  ...workRoutes,
];
