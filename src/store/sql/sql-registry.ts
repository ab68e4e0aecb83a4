import type { AuditEntry } from "../../core/audit/index.ts";
import { required, type JsonObject } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { Entry, EntryKind, RegistryChange, RegistryStore } from "../registry-store.ts";
import type { Sql } from "../sql.ts";
import { EntryChanged } from "../store-error.ts";
import { bigint, Columns, int, optional, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";
import { sqlAudit } from "./sql-audit.ts";
import { configure, sqlConfig } from "./sql-config.ts";
import { putWorkflow } from "./sql-workflows.ts";

export function sqlRegistry(sql: Sql): RegistryStore {
  return {
    ...sqlConfig(sql),
    getEntry: async (orgId, kind, id) => ENTRY.first(await lookUp(sql, GET, [orgId, kind, id])),
    listEntries: async (orgId, kind, page) => {
      const after = decodeCursor(page.cursor)?.id ?? null;
      const rows = await sql.query(LIST, [orgId, kind, after, page.limit + 1]);
      return listed(ENTRY.all(rows), page.limit, ({ id }) => ({ at: 0, id }));
    },
    findTriggers: async (name, limit) => FOUND.all(await lookUp(sql, FIND_TRIGGERS, [name, limit])),
    putEntry: async (orgId, kind, id, body, at) => {
      const [entry] = await apply(sql, orgId, [{ change: "put", kind, id, body }], at);
      return required(entry, "what was put is answered");
    },
    deleteEntry: (orgId, kind, id) =>
      configure(sql, orgId, async (within) => {
        const isChanged = await remove(within, orgId, kind, id);
        return { result: isChanged, isChanged };
      }),
    applyEntries: (orgId, changes, at, audit) => apply(sql, orgId, changes, at, audit),
    entrySecrets: async (orgId, kind, id) => {
      const rows = await lookUp<{ name: string; value: string }>(sql, SECRETS, [orgId, kind, id]);
      return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    },
  };
}

async function apply(
  sql: Sql,
  orgId: string,
  changes: readonly RegistryChange[],
  at: number,
  audit: readonly AuditEntry[] = [],
): Promise<readonly Entry[]> {
  return configure(sql, orgId, async (within) => {
    const result: Entry[] = [];
    let isChanged = false;
    for (const change of changes) {
      switch (change.change) {
        case "put": {
          const [entry, isNew] = await put(within, orgId, change, { at, by: audit[0]?.actor ?? null });
          result.push(entry);
          isChanged ||= isNew;
          break;
        }
        case "delete":
          isChanged = (await remove(within, orgId, change.kind, change.id)) || isChanged;
          break;
        case "workflow":
          isChanged = (await putWorkflow(within, orgId, change.saving, change.settings)) || isChanged;
          break;
      }
    }
    await sqlAudit(within).appendAudit(orgId, audit);
    return { result, isChanged };
  });
}

/** Writes an entry. The row of the organisation is locked, so that no other writer changes it between the check and the write. */
async function put(
  sql: Sql,
  orgId: string,
  { kind, id, body, secrets = {}, expected }: Extract<RegistryChange, { change: "put" }>,
  { at, by }: { readonly at: number; readonly by: string | null },
): Promise<readonly [Entry, boolean]> {
  const before = ENTRY.first(await sql.query(GET, [orgId, kind, id]));
  if (expected !== undefined && (before?.revision ?? 0) !== expected) throw new EntryChanged(id);
  let isChanged = false;
  for (const [name, value] of Object.entries(secrets)) {
    isChanged = (await sql.query(PUT_SECRET, [orgId, kind, id, name, value])).length > 0 || isChanged;
  }
  const written = JSON.stringify(body);
  if (before !== undefined && JSON.stringify(before.body) === written) return [before, isChanged];
  const entry = ENTRY.first(await sql.query(PUT, [orgId, kind, id, written, at, by]));
  return [required(entry, "an entry just written is answered"), true];
}

async function remove(sql: Sql, orgId: string, kind: EntryKind, id: string): Promise<boolean> {
  const isGone = (await lookUp(sql, DELETE, [orgId, kind, id])).length > 0;
  if (isGone) await sql.query(DELETE_SECRETS, [orgId, kind, id]);
  if (isGone && kind === "secret") await sql.query(DELETE_USES, [orgId, id]);
  return isGone;
}

const FIELDS = {
  id: text,
  revision: int,
  body: parsed<JsonObject>(),
  createdAt: bigint,
  updatedAt: bigint,
  savedBy: optional(text),
};
const ENTRY = new Columns(FIELDS);
const FOUND = new Columns({ ...FIELDS, orgId: text });

const GET = {
  name: "get entry",
  text: `select ${ENTRY.list()} from registry where org_id = $1 and kind = $2 and id = $3`,
};
const LIST = {
  name: "list entries",
  text: `select ${ENTRY.list()} from registry
    where org_id = $1 and kind = $2 and ($3::text is null or id > $3) order by id limit $4`,
};
const FIND_TRIGGERS = {
  name: "find triggers",
  text: `select ${FOUND.list()} from registry where kind = 'trigger' and id = $1 order by created_at, org_id limit $2`,
};
const PUT = {
  name: "put entry",
  text: `insert into registry (org_id, kind, id, revision, body, created_at, updated_at, saved_by)
    values ($1, $2, $3, 1, $4, $5, $5, $6)
    on conflict (org_id, kind, id) do update set revision = registry.revision + 1, body = excluded.body,
      updated_at = excluded.updated_at, saved_by = excluded.saved_by
    returning ${ENTRY.list()}`,
};
const DELETE = {
  name: "delete entry",
  text: "delete from registry where org_id = $1 and kind = $2 and id = $3 returning id",
};
const SECRETS = {
  name: "entry secrets",
  text: "select name, value from entry_secrets where org_id = $1 and kind = $2 and id = $3 order by name",
};
const PUT_SECRET = {
  name: "put entry secret",
  text: `insert into entry_secrets (org_id, kind, id, name, value) values ($1, $2, $3, $4, $5)
    on conflict (org_id, kind, id, name) do update set value = excluded.value
      where entry_secrets.value <> excluded.value returning name`,
};
const DELETE_USES = { name: "delete secret uses", text: "delete from secret_uses where org_id = $1 and name = $2" };
const DELETE_SECRETS = {
  name: "delete entry secrets",
  text: "delete from entry_secrets where org_id = $1 and kind = $2 and id = $3",
};
