import type { JsonObject } from "../../core/base/index.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import type { GatewayLink, GatewayStanding, GatewayStatus, GatewayStore } from "../registry-store.ts";
import { bigint, Columns, oneOf, optional, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";
import { isIn, sqlState, TAKEN } from "./sql-state.ts";

export function sqlGateways(sql: Sql): GatewayStore {
  return {
    listGatewayLinks: async (...orgIds) => LINK.all(await sql.query(LIST, [orgIds])),
    putGatewayLink: (link) => put(sql, link),
    deleteGatewayLink: async (orgId, gatewayId) => (await lookUp(sql, DELETE, [orgId, gatewayId])).length > 0,
    findGatewayLink: async (tokenHash) => LINK.first(await lookUp(sql, FIND, [tokenHash])),
    setGatewayStatus: async (orgId, gatewayId, status, at) => {
      await sql.query(SET_STATUS, [orgId, gatewayId, status, at]);
    },
    gatewayHistory: (orgId, gatewayId, limit) => lookUp<GatewayStanding>(sql, HISTORY, [orgId, gatewayId, limit]),
    ensureSecret: async (name, value) => {
      const [row] = await sql.query<{ value: string }>(ENSURE_SECRET, [name, value]);
      if (row === undefined) throw new Error(`the secret ${name} was not written`);
      return row.value;
    },
  };
}

const LINKS: ReadonlySet<unknown> = new Set(["gateway_links"]);

async function put(sql: Sql, link: GatewayLink): Promise<boolean> {
  try {
    await sql.query(PUT, LINK.values(link));
    return true;
  } catch (error) {
    if (sqlState(error) === TAKEN && isIn(error, LINKS)) return false;
    throw error;
  }
}

const LINK = new Columns({
  orgId: text,
  gatewayId: text,
  status: oneOf<GatewayStatus>(),
  instanceId: optional(text),
  instanceStartedAt: optional(bigint),
  dispatchToken: optional(text),
  callbackHash: optional(text),
  previousCallbackHash: optional(text),
  previousUntil: optional(bigint),
  seenAt: optional(bigint),
  instanceFacts: optional(parsed<JsonObject>()),
});

const LIST = {
  name: "list gateway links",
  text: `select ${LINK.list()} from gateway_links where org_id = any($1::text[]) order by org_id, gateway_id`,
};
const PUT = {
  name: "put gateway link",
  text: `with was as (select status from gateway_links where org_id = $1 and gateway_id = $2),
    noted as (
      insert into gateway_history (org_id, gateway_id, at, status) select $1, $2, ${NOW_MS}, $3
      where not exists (select from was where status = $3)
    )
    insert into gateway_links (${LINK.list()}) values (${LINK.places})
    on conflict (org_id, gateway_id) do update set ${LINK.updatesExcept("orgId", "gatewayId")}`,
};
const DELETE = {
  name: "delete gateway link",
  text: "delete from gateway_links where org_id = $1 and gateway_id = $2 returning gateway_id",
};
const FIND = {
  name: "find gateway link",
  text: `select ${LINK.list()} from gateway_links
    where callback_hash = $1 or (previous_callback_hash = $1 and previous_until > ${NOW_MS}) limit 1`,
};
const SET_STATUS = {
  name: "set gateway status",
  text: `with changed as (
      update gateway_links set status = $3, seen_at = case when $3 = 'offline' then seen_at else $4 end
      where org_id = $1 and gateway_id = $2 and status <> $3 returning gateway_id
    )
    insert into gateway_history (org_id, gateway_id, at, status) select $1, gateway_id, $4, $3 from changed`,
};
const HISTORY = {
  name: "gateway history",
  text: `select status, at from gateway_history where org_id = $1 and gateway_id = $2 order by at desc limit $3`,
};
const ENSURE_SECRET = {
  name: "ensure secret",
  text: `insert into installation_secrets (name, value) values ($1, $2)
    on conflict (name) do update set value = installation_secrets.value returning value`,
};
