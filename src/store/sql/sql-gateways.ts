import type { JsonObject } from "../../core/base/index.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import type { GatewayLink, GatewayStanding, GatewayStatus, GatewayStore } from "../registry-store.ts";
import { lookUp } from "./look-up.ts";

export function sqlGateways(sql: Sql): GatewayStore {
  return {
    listGatewayLinks: async (orgId) => (await sql.query<LinkRow>(LIST, [orgId])).map(linkOf),
    putGatewayLink: async (link) => {
      await sql.query(PUT, [
        link.orgId,
        link.gatewayId,
        link.status,
        link.instanceId,
        link.instanceStartedAt,
        link.dispatchToken,
        link.callbackHash,
        link.previousCallbackHash,
        link.previousUntil,
        link.seenAt,
        link.instanceFacts === null ? null : JSON.stringify(link.instanceFacts),
      ]);
    },
    deleteGatewayLink: async (orgId, gatewayId) => (await lookUp(sql, DELETE, [orgId, gatewayId])).length > 0,
    findGatewayLink: async (tokenHash) => {
      const [row] = await lookUp<LinkRow>(sql, FIND, [tokenHash]);
      return row === undefined ? undefined : linkOf(row);
    },
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

interface LinkRow {
  readonly org_id: string;
  readonly gateway_id: string;
  readonly status: GatewayStatus;
  readonly instance_id: string | null;
  readonly instance_started_at: number | null;
  readonly dispatch_token: string | null;
  readonly callback_hash: string | null;
  readonly previous_callback_hash: string | null;
  readonly previous_until: number | null;
  readonly seen_at: number | null;
  readonly instance_facts: string | null;
}

function linkOf(row: LinkRow): GatewayLink {
  return {
    orgId: row.org_id,
    gatewayId: row.gateway_id,
    status: row.status,
    instanceId: row.instance_id,
    instanceStartedAt: row.instance_started_at,
    dispatchToken: row.dispatch_token,
    callbackHash: row.callback_hash,
    previousCallbackHash: row.previous_callback_hash,
    previousUntil: row.previous_until,
    seenAt: row.seen_at,
    instanceFacts: row.instance_facts === null ? null : (JSON.parse(row.instance_facts) as JsonObject),
  };
}

const COLUMNS = `org_id, gateway_id, status, instance_id, instance_started_at, dispatch_token, callback_hash,
  previous_callback_hash, previous_until, seen_at, instance_facts`;
const LIST = {
  name: "list gateway links",
  text: `select ${COLUMNS} from gateway_links where org_id = $1 order by gateway_id`,
};
const PUT = {
  name: "put gateway link",
  text: `with was as (select status from gateway_links where org_id = $1 and gateway_id = $2),
    noted as (
      insert into gateway_history (org_id, gateway_id, at, status) select $1, $2, ${NOW_MS}, $3
      where not exists (select from was where status = $3)
    )
    insert into gateway_links (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    on conflict (org_id, gateway_id) do update set status = excluded.status, instance_id = excluded.instance_id,
      instance_started_at = excluded.instance_started_at, dispatch_token = excluded.dispatch_token,
      callback_hash = excluded.callback_hash, previous_callback_hash = excluded.previous_callback_hash,
      previous_until = excluded.previous_until, seen_at = excluded.seen_at,
      instance_facts = excluded.instance_facts`,
};
const DELETE = {
  name: "delete gateway link",
  text: "delete from gateway_links where org_id = $1 and gateway_id = $2 returning gateway_id",
};
const FIND = {
  name: "find gateway link",
  text: `select ${COLUMNS} from gateway_links
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
