import type { JsonObject } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { Entry, RegistryStore } from "../registry-store.ts";
import type { Sql } from "../sql.ts";
import { lookUp } from "./look-up.ts";

export function sqlRegistry(sql: Sql): RegistryStore {
  return {
    getEntry: async (orgId, kind, id) => {
      const [row] = await lookUp<EntryRow>(sql, GET, [orgId, kind, id]);
      return row === undefined ? undefined : entryOf(row);
    },
    listEntries: async (orgId, kind, page) => {
      const rows = await sql.query<EntryRow>(LIST, [
        orgId,
        kind,
        decodeCursor(page.cursor)?.id ?? null,
        page.limit + 1,
      ]);
      return listed(rows.map(entryOf), page.limit, ({ id }) => ({ at: 0, id }));
    },
    putEntry: async (orgId, kind, id, body, at) => {
      const [row] = await sql.query<EntryRow>(PUT, [orgId, kind, id, JSON.stringify(body), at]);
      if (row === undefined) throw new Error("the entry was not written");
      return entryOf(row);
    },
    deleteEntry: async (orgId, kind, id) => (await lookUp(sql, DELETE, [orgId, kind, id])).length > 0,
  };
}

interface EntryRow {
  readonly id: string;
  readonly revision: number;
  readonly body: string;
  readonly created_at: number;
  readonly updated_at: number;
}

function entryOf({ id, revision, body, created_at: createdAt, updated_at: updatedAt }: EntryRow): Entry {
  return { id, revision, body: JSON.parse(body) as JsonObject, createdAt, updatedAt };
}

const COLUMNS = "id, revision, body, created_at, updated_at";
const GET = {
  name: "get entry",
  text: `select ${COLUMNS} from registry where org_id = $1 and kind = $2 and id = $3`,
};
const LIST = {
  name: "list entries",
  text: `select ${COLUMNS} from registry
    where org_id = $1 and kind = $2 and ($3::text is null or id > $3) order by id limit $4`,
};
const PUT = {
  name: "put entry",
  text: `insert into registry (org_id, kind, id, revision, body, created_at, updated_at)
    values ($1, $2, $3, 1, $4, $5, $5)
    on conflict (org_id, kind, id) do update set
      revision = registry.revision + (registry.body <> excluded.body)::int,
      updated_at = case when registry.body <> excluded.body then excluded.updated_at else registry.updated_at end,
      body = excluded.body
    returning ${COLUMNS}`,
};
const DELETE = {
  name: "delete entry",
  text: "delete from registry where org_id = $1 and kind = $2 and id = $3 returning id",
};
