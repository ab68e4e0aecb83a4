import { decodeCursor, listed } from "../cursor.ts";
import { mergedWords, type InvitationRecord, type InvitationStore } from "../invitation-store.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import type { Listed, Page } from "../store.ts";
import { bigint, Columns, optional, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";
import { admitMember, lockOrganisation } from "./sql-memberships.ts";

export function sqlInvitations(sql: Sql): InvitationStore {
  return {
    putInvitation: async (invitation, lifeMs) =>
      INVITATION.read((await sql.query(PUT, [...NEW.values(invitation), lifeMs]))[0] ?? {}),
    findInvitation: async (hash) => INVITATION.first(await lookUp(sql, FIND, [hash])),
    listInvitations: (orgId, page) => list(sql, orgId, page),
    revokeInvitation: async (orgId, invitationId) => (await lookUp(sql, REVOKE, [orgId, invitationId])).length > 0,
    acceptInvitation: (hash, personId) => sql.transaction((within) => accept(within, hash, personId)),
  };
}

const NEW = new Columns({
  id: text,
  orgId: text,
  email: text,
  roles: parsed<readonly string[]>(),
  groups: parsed<readonly string[]>(),
  hash: text,
  createdBy: text,
});
const INVITATION = new Columns({
  ...NEW.fields,
  createdAt: bigint,
  expiresAt: bigint,
  acceptedBy: optional(text),
  acceptedAt: optional(bigint),
  revokedAt: optional(bigint),
});

const PUT = {
  name: "put invitation",
  text: `insert into invitations (${NEW.list()}, created_at, expires_at)
    select ${NEW.places}, at, at + $${NEW.count + 1}::bigint from (select ${NOW_MS} as at) as now returning ${INVITATION.list()}`,
};
const FIND = { name: "find invitation", text: `select ${INVITATION.list()} from invitations where hash = $1` };
const LIST = {
  name: "list invitations",
  text: `select ${INVITATION.list()} from invitations
    where org_id = $1 and ($2::bigint is null or (created_at, id) < ($2, $3))
    order by created_at desc, id desc limit $4`,
};
const REVOKE = {
  name: "revoke invitation",
  text: `update invitations set revoked_at = coalesce(revoked_at, ${NOW_MS})
    where org_id = $1 and id = $2 and accepted_at is null returning id`,
};
const ACCEPT = {
  name: "accept invitation",
  text: `update invitations set accepted_by = $2, accepted_at = ${NOW_MS}
    where hash = $1 and accepted_at is null and revoked_at is null and expires_at > ${NOW_MS}
    returning ${INVITATION.list()}`,
};

async function list(sql: Sql, orgId: string, page: Page): Promise<Listed<InvitationRecord>> {
  const after = decodeCursor(page.cursor);
  const rows = await lookUp(sql, LIST, [orgId, after?.at ?? null, after?.id ?? null, page.limit + 1]);
  return listed(INVITATION.all(rows), page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

async function accept(sql: Sql, hash: string, personId: string): Promise<boolean> {
  const invitation = INVITATION.first(await lookUp(sql, ACCEPT, [hash, personId]));
  if (invitation === undefined) return false;
  const { orgId, roles, groups } = invitation;
  await lockOrganisation(sql, orgId);
  await admitMember(sql, orgId, personId, (member) => ({
    roles: mergedWords(member?.assignedRoles, roles),
    groups: mergedWords(member?.assignedGroups, groups),
  }));
  return true;
}
