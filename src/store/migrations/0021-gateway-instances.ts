import { type Migration, oneOf } from "./migration.ts";

const STATUSES = ["healthy", "degraded", "offline", "unknown"];

/**
 * A gateway that was saved and has never answered gets the status `unknown`. What the instance reports that serves a
 * gateway (its report address, its models) is stored beside it. An older program treats `unknown` as offline until it
 * checks the gateway, and ignores the rest.
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
