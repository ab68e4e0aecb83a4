import { decodeCursor, listed } from "../cursor.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import type { KeyRecord, KeyStore } from "../key-store.ts";
import type { Listed, Page } from "../store.ts";
import { bigint, boolean, Columns, optional, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";
import { sqlState, TAKEN } from "./sql-state.ts";

export function sqlKeys(sql: Sql): KeyStore {
  return {
    putKey: (key) => put(sql, key),
    findKey: async (hash) => KEY.first(await lookUp(sql, FIND, [hash])),
    getKey: async (orgId, keyId) => KEY.first(await lookUp(sql, GET, [orgId, keyId])),
    listKeys: (orgId, page) => list(sql, orgId, page),
    listEndedKeys: async (keyIds) => (await sql.query<{ id: string }>(LIST_ENDED, [[...keyIds]])).map(({ id }) => id),
    revokeKey: async (orgId, keyId, at) => (await lookUp(sql, REVOKE, [orgId, keyId, at])).length > 0,
  };
}

const KEY = new Columns({
  id: text,
  orgId: text,
  hash: text,
  label: text,
  isNamed: boolean,
  permissions: parsed<readonly string[]>(),
  agentId: optional(text),
  createdBy: optional(text),
  personId: optional(text),
  createdAt: bigint,
  expiresAt: optional(bigint),
  revokedAt: optional(bigint),
});

const PUT = {
  name: "put key",
  text: `insert into keys (${KEY.list()}) values (${KEY.places})
    on conflict (id) do update set ${KEY.updatesExcept("id", "orgId")} where keys.org_id = excluded.org_id`,
};
const FIND = { name: "find key", text: `select ${KEY.list()} from keys where hash = $1` };
const GET = { name: "get key", text: `select ${KEY.list()} from keys where org_id = $1 and id = $2` };
const LIST = {
  name: "list keys",
  text: `select ${KEY.list()} from keys where org_id = $1 and ($2::bigint is null or (created_at, id) < ($2, $3))
    order by created_at desc, id desc limit $4`,
};
const LIST_ENDED = {
  name: "list ended keys",
  text: `select asked.id from unnest($1::text[]) as asked (id)
    left join keys k on k.id = asked.id and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > ${NOW_MS})
    where k.id is null`,
};
/** A second revocation does not change the time of the first. */
const REVOKE = {
  name: "revoke key",
  text: "update keys set revoked_at = coalesce(revoked_at, $3) where org_id = $1 and id = $2 returning id",
};

/**
 * Writes a key. Replicas that start at the same moment write the same key. Only a conflict on the id updates the row: a
 * writer that meets the hash of the other row first fails, and finds the row by its id on the second try.
 */
async function put(sql: Sql, key: KeyRecord): Promise<void> {
  try {
    await sql.query(PUT, KEY.values(key));
  } catch (error) {
    if (sqlState(error) !== TAKEN) throw error;
    await sql.query(PUT, KEY.values(key));
  }
}

async function list(sql: Sql, orgId: string, page: Page): Promise<Listed<KeyRecord>> {
  const after = decodeCursor(page.cursor);
  const rows = await sql.query(LIST, [orgId, after?.at ?? null, after?.id ?? null, page.limit + 1]);
  return listed(KEY.all(rows), page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}
