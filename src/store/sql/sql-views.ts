import type { JsonObject } from "../../core/base/index.ts";
import type { Sql } from "../sql.ts";
import type { ViewStore } from "../view-store.ts";
import { bigint, boolean, Columns, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

const VIEW = new Columns({
  orgId: text,
  id: text,
  owner: text,
  name: text,
  isShared: boolean,
  query: parsed<JsonObject>(),
  createdAt: bigint,
  updatedAt: bigint,
});

const PUT = {
  name: "put view",
  text: `insert into saved_views (${VIEW.list()}) values (${VIEW.places})
    on conflict (org_id, id) do update set ${VIEW.updatesExcept("orgId", "id", "owner", "createdAt")}`,
};
const LIST = {
  name: "list views",
  text: `select ${VIEW.list()} from saved_views where org_id = $1 and (owner = $2 or is_shared)
    order by name collate "C", id`,
};
const GET = { name: "get view", text: `select ${VIEW.list()} from saved_views where org_id = $1 and id = $2` };
const DELETE = { name: "delete view", text: "delete from saved_views where org_id = $1 and id = $2 returning id" };

export function sqlViews(sql: Sql): ViewStore {
  return {
    putView: async (view) => {
      await sql.query(PUT, VIEW.values(view));
    },
    listViews: async (orgId, owner) => VIEW.all(await lookUp(sql, LIST, [orgId, owner])),
    getView: async (orgId, id) => VIEW.first(await lookUp(sql, GET, [orgId, id])),
    deleteView: async (orgId, id) => (await lookUp(sql, DELETE, [orgId, id])).length > 0,
  };
}
