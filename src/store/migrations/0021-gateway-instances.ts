import { type Migration, oneOf } from "./migration.ts";

const STATUSES = ["healthy", "degraded", "offline", "unknown"];

/**
 * A gateway that was saved and never answered is `unknown`; and what the instance reports that answers for a gateway
 * (where it reports to, what its models are) is kept beside it. An older program takes
 * `unknown` for offline until it is asked, and does not look at the rest.
 */
export const GATEWAY_INSTANCES: Migration = {
  version: 21,
  name: "gateway instances",
  minReader: 18,
  statements: [
    `alter table gateway_links drop constraint gateway_links_status_check`,
    `alter table gateway_links add constraint gateway_links_status_check ${oneOf("status", STATUSES)}`,
    `alter table gateway_history drop constraint gateway_history_status_check`,
    `alter table gateway_history add constraint gateway_history_status_check ${oneOf("status", STATUSES)}`,
    `alter table gateway_links add column instance_facts text`,
  ],
};
