import type { Hook, HookStore } from "../hook-store.ts";
import type { Sql } from "../sql.ts";
import { lookUp } from "./look-up.ts";

export function sqlHooks(sql: Sql): HookStore {
  return {
    getHook: async (orgId, workflow) => {
      const [row] = await lookUp<HookRow>(sql, GET, [orgId, workflow]);
      return row === undefined ? undefined : hookOf(row);
    },
    findHooks: async (workflow, limit) => (await lookUp<HookRow>(sql, FIND, [workflow, limit])).map(hookOf),
    putHook: async ({ orgId, workflow, secret, previousSecret, previousUntil, createdAt, updatedAt }) => {
      await sql.query(PUT, [orgId, workflow, secret, previousSecret, previousUntil, createdAt, updatedAt]);
    },
    deleteHook: async (orgId, workflow) => (await lookUp(sql, DELETE, [orgId, workflow])).length > 0,
  };
}

interface HookRow {
  readonly org_id: string;
  readonly workflow: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

function hookOf(row: HookRow): Hook {
  return {
    orgId: row.org_id,
    workflow: row.workflow,
    secret: row.secret,
    previousSecret: row.previous_secret,
    previousUntil: row.previous_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const COLUMNS = "org_id, workflow, secret, previous_secret, previous_until, created_at, updated_at";
const GET = {
  name: "get workflow hook",
  text: `select ${COLUMNS} from workflow_hooks where org_id = $1 and workflow = $2`,
};
const FIND = {
  name: "find workflow hooks",
  text: `select ${COLUMNS} from workflow_hooks where workflow = $1 order by created_at, org_id limit $2`,
};
/** The moment of the first one stays. */
const PUT = {
  name: "put workflow hook",
  text: `insert into workflow_hooks (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (workflow, org_id) do update set secret = excluded.secret, previous_secret = excluded.previous_secret,
      previous_until = excluded.previous_until, updated_at = excluded.updated_at`,
};
const DELETE = {
  name: "delete workflow hook",
  text: "delete from workflow_hooks where org_id = $1 and workflow = $2 returning workflow",
};
