import type { OrganisationStore } from "../organisation-store.ts";
import { ADMIN_ROLE } from "../membership-store.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import { bigint, Columns, optional, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlOrganisations(sql: Sql): OrganisationStore {
  return {
    ensureOrganisation: async (orgId) => {
      await sql.query(ENSURE, [orgId]);
    },
    createOrganisation: async (orgId, name, adminId) =>
      (await sql.query(CREATE, [orgId, name, adminId, JSON.stringify([ADMIN_ROLE])])).length > 0,
    getOrganisation: async (orgId) => ORGANISATION.first(await lookUp(sql, GET, [orgId])),
    renameOrganisation: async (orgId, name) => (await lookUp(sql, RENAME, [orgId, name])).length > 0,
  };
}

const ORGANISATION = new Columns({ orgId: text, name: optional(text), createdAt: bigint });

const ENSURE = {
  name: "ensure organisation",
  text: `insert into organisations (org_id, created_at) values ($1, ${NOW_MS}) on conflict do nothing`,
};
const CREATE = {
  name: "create organisation",
  text: `with made as (
      insert into organisations (org_id, name, created_at) values ($1, $2, ${NOW_MS}) on conflict do nothing
      returning org_id, created_at
    ), admitted as (
      insert into memberships (org_id, person_id, claimed_roles, claimed_groups, assigned_roles, assigned_groups, joined_at)
      select org_id, $3, '[]', '[]', $4, '[]', created_at from made where $3::text is not null
    )
    select org_id from made`,
};
const GET = {
  name: "get organisation",
  text: `select ${ORGANISATION.list()} from organisations where org_id = $1`,
};
const RENAME = {
  name: "rename organisation",
  text: "update organisations set name = $2 where org_id = $1 returning org_id",
};
