import type { Migration } from "./migration.ts";

/**
 * The token of a callback identifies its gateway, so a token belongs to one gateway. If several gateways shared a
 * token, the first keeps it. The others could not be distinguished before; they get a new token when their Bridge
 * registers or an operator saves one.
 */
export const CALLBACK_TOKENS: Migration = {
  version: 61,
  name: "callback tokens are unique",
  minReader: 49,
  statements: [
    `update gateway_links later set callback_hash = null
      where exists (select from gateway_links earlier where earlier.callback_hash = later.callback_hash
        and (earlier.org_id, earlier.gateway_id) < (later.org_id, later.gateway_id))`,
    `drop index gateway_links_token`,
    `create unique index gateway_links_token on gateway_links (callback_hash)`,
  ],
};
