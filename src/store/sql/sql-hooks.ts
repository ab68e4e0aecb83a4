import type { HookStore } from "../hook-store.ts";
import type { Sql } from "../sql.ts";
import { bigint, Columns, optional, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlHooks(sql: Sql): HookStore {
  return {
    getHook: async (orgId, workflow) => HOOK.first(await lookUp(sql, GET, [orgId, workflow])),
    findHooks: async (workflow, limit) => HOOK.all(await lookUp(sql, FIND, [workflow, limit])),
    putHook: async (hook) => {
      await sql.query(PUT, HOOK.values(hook));
    },
    deleteHook: async (orgId, workflow) => (await lookUp(sql, DELETE, [orgId, workflow])).length > 0,
  };
}

const HOOK = new Columns({
  orgId: text,
  workflow: text,
  secret: text,
  previousSecret: optional(text),
  previousUntil: optional(bigint),
  savedBy: optional(text),
  createdAt: bigint,
  updatedAt: bigint,
});

const GET = {
  name: "get workflow hook",
  text: `select ${HOOK.list()} from workflow_hooks where org_id = $1 and workflow = $2`,
};
const FIND = {
  name: "find workflow hooks",
  text: `select ${HOOK.list()} from workflow_hooks where workflow = $1 order by created_at, org_id limit $2`,
};
/** An update does not change the creation time. */
const PUT = {
  name: "put workflow hook",
  text: `insert into workflow_hooks (${HOOK.list()}) values (${HOOK.places})
    on conflict (workflow, org_id) do update set ${HOOK.updatesExcept("orgId", "workflow", "createdAt")}`,
};
const DELETE = {
  name: "delete workflow hook",
  text: "delete from workflow_hooks where org_id = $1 and workflow = $2 returning workflow",
};
