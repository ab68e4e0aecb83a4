import { decodeCursor, listed } from "../cursor.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import type { KeyRecord, KeyStore } from "../key-store.ts";
import type { Listed, Page } from "../store.ts";
import { lookUp } from "./look-up.ts";

export function sqlKeys(sql: Sql): KeyStore {
  return {
    ensureOrganisation: async (orgId) => {
      await sql.query(ENSURE, [orgId]);
    },
    putKey: async (key) => {
      await sql.query(PUT, [
        key.id,
        key.orgId,
        key.hash,
        key.label,
        JSON.stringify(key.permissions),
        key.agentId,
        key.createdBy,
        key.createdAt,
        key.expiresAt,
        key.revokedAt,
      ]);
    },
    findKey: async (hash) => {
      const [row] = await lookUp<KeyRow>(sql, FIND, [hash]);
      return row === undefined ? undefined : keyOf(row);
    },
    getKey: async (orgId, keyId) => {
      const [row] = await lookUp<KeyRow>(sql, GET, [orgId, keyId]);
      return row === undefined ? undefined : keyOf(row);
    },
    listKeys: (orgId, page) => list(sql, orgId, page),
    listEndedKeys: async (keyIds) => (await sql.query<{ id: string }>(LIST_ENDED, [[...keyIds]])).map(({ id }) => id),
    revokeKey: async (orgId, keyId, at) => (await lookUp(sql, REVOKE, [orgId, keyId, at])).length > 0,
  };
}

interface KeyRow {
  readonly id: string;
  readonly org_id: string;
  readonly hash: string;
  readonly label: string;
  readonly permissions: string;
  readonly agent_id: string | null;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

const COLUMNS = "id, org_id, hash, label, permissions, agent_id, created_by, created_at, expires_at, revoked_at";
const ENSURE = {
  name: "ensure organisation",
  text: `insert into organisations (org_id, created_at) values ($1, ${NOW_MS}) on conflict do nothing`,
};
const PUT = {
  name: "put key",
  text: `insert into keys (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    on conflict (id) do update set hash = excluded.hash, label = excluded.label, permissions = excluded.permissions,
      agent_id = excluded.agent_id, created_by = excluded.created_by, created_at = excluded.created_at, expires_at = excluded.expires_at,
      revoked_at = excluded.revoked_at
      where keys.org_id = excluded.org_id`,
};
const FIND = { name: "find key", text: `select ${COLUMNS} from keys where hash = $1` };
const GET = { name: "get key", text: `select ${COLUMNS} from keys where org_id = $1 and id = $2` };
const LIST = {
  name: "list keys",
  text: `select ${COLUMNS} from keys where org_id = $1 and ($2::bigint is null or (created_at, id) < ($2, $3))
    order by created_at desc, id desc limit $4`,
};
const LIST_ENDED = {
  name: "list ended keys",
  text: `select asked.id from unnest($1::text[]) as asked (id)
    left join keys k on k.id = asked.id and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > ${NOW_MS})
    where k.id is null`,
};
/** The first revocation stands. */
const REVOKE = {
  name: "revoke key",
  text: "update keys set revoked_at = coalesce(revoked_at, $3) where org_id = $1 and id = $2 returning id",
};

function keyOf(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    orgId: row.org_id,
    hash: row.hash,
    label: row.label,
    permissions: JSON.parse(row.permissions) as string[],
    agentId: row.agent_id,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

async function list(sql: Sql, orgId: string, page: Page): Promise<Listed<KeyRecord>> {
  const after = decodeCursor(page.cursor);
  const rows = await sql.query<KeyRow>(LIST, [orgId, after?.at ?? null, after?.id ?? null, page.limit + 1]);
  return listed(rows.map(keyOf), page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}
