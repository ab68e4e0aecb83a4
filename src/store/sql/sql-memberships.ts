import { decodeCursor, listed } from "../cursor.ts";
import {
  type Claimed,
  losesLastAdmin,
  memberAfter,
  type MemberChange,
  type MemberOutcome,
  type MemberRecord,
  type MembershipStore,
  type NamedMembers,
  type Standing,
} from "../membership-store.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import type { Listed, Page } from "../store.ts";
import { bigint, boolean, Columns, optional, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlMemberships(sql: Sql): MembershipStore {
  return {
    getMember: async (orgId, personId) => MEMBER.first(await lookUp(sql, GET, [orgId, personId])),
    listMembers: (orgId, page) => list(sql, orgId, page),
    findMembers: (orgId, named) => find(sql, orgId, named),
    readStanding: (orgId, personId) => standing(sql, orgId, personId),
    listMemberships: async (personId) => VIEW.all(await lookUp(sql, OF_PERSON, [personId])),
    claimMembership: (orgId, personId, claimed) => claim(sql, orgId, personId, claimed),
    changeMember: (orgId, personId, change) =>
      sql.transaction((within) =>
        guarded(
          within,
          orgId,
          personId,
          (member) => write(within, member, change),
          (member) => memberAfter(member, change),
        ),
      ),
    removeMember: (orgId, personId) =>
      sql.transaction((within) =>
        guarded(
          within,
          orgId,
          personId,
          () => remove(within, orgId, personId),
          () => null,
        ),
      ),
  };
}

const MEMBERSHIP_FIELDS = {
  orgId: text,
  personId: text,
  claimedRoles: parsed<readonly string[]>(),
  claimedGroups: parsed<readonly string[]>(),
  assignedRoles: parsed<readonly string[]>(),
  assignedGroups: parsed<readonly string[]>(),
  deputyId: optional(text),
  deputyFrom: optional(bigint),
  deputyUntil: optional(bigint),
  joinedAt: bigint,
};
const MEMBERSHIP = new Columns(MEMBERSHIP_FIELDS);
const PERSON = new Columns({ issuer: text, subject: text, email: optional(text), name: text, isDisabled: boolean });
const MEMBER = new Columns({ ...MEMBERSHIP_FIELDS, ...PERSON.fields });
const VIEW = new Columns({ ...MEMBERSHIP_FIELDS, organisationName: optional(text) });

const MEMBERS = `select ${MEMBERSHIP.list("m")}, ${PERSON.list("p")} from memberships m join persons p on p.id = m.person_id`;

const GROUPS = "(claimed_groups::jsonb || assigned_groups::jsonb)";
const ROLES = "(claimed_roles::jsonb || assigned_roles::jsonb)";

const GET = { name: "get member", text: `${MEMBERS} where m.org_id = $1 and m.person_id = $2` };
const LIST = {
  name: "list members",
  text: `${MEMBERS} where m.org_id = $1 and ($2::bigint is null or (m.joined_at, m.person_id) > ($2, $3))
    order by m.joined_at, m.person_id limit $4`,
};
/** Each kind of name uses an index of its own; roles use that of the organisation. Member rows are read only afterwards. */
const FIND = {
  name: "find members",
  text: `with named as (
      select unnest($2::text[]) as id
      union select id from persons where lower(email) = any($3::text[])
      union select p.id from persons p join unnest($4::text[], $5::text[]) as a(issuer, subject)
        on a.issuer = p.issuer and a.subject = p.subject
      union select person_id from memberships where ${GROUPS} ?| $6::text[]
      union select person_id from memberships where org_id = $1 and ${ROLES} ?| $7::text[])
    ${MEMBERS} where m.org_id = $1 and m.person_id in (select id from named) order by m.joined_at, m.person_id`,
};
const ALL = { name: "list all members", text: `${MEMBERS} where m.org_id = $1` };
const STANDING = {
  name: "read standing",
  text: `${MEMBERS} where m.org_id = $1 and (m.person_id = $2
      or (m.deputy_id = $2 and m.deputy_from <= ${NOW_MS} and m.deputy_until > ${NOW_MS} and not p.is_disabled))
    order by m.person_id`,
};
const OF_PERSON = {
  name: "list memberships",
  text: `select ${MEMBERSHIP.list("m")}, o.name as organisation_name
    from memberships m left join organisations o on o.org_id = m.org_id where m.person_id = $1 order by m.org_id`,
};
const LOCK = { name: "lock organisation", text: "select org_id from organisations where org_id = $1 for update" };
const UPDATE_CLAIMS = {
  name: "update claims of a member",
  text: `update memberships set claimed_roles = $3, claimed_groups = $4 where org_id = $1 and person_id = $2
    returning person_id`,
};
const JOIN = {
  name: "join organisation",
  text: `insert into memberships (org_id, person_id, claimed_roles, claimed_groups, assigned_roles, assigned_groups,
      joined_at) values ($1, $2, '[]', '[]', '[]', '[]', ${NOW_MS}) on conflict do nothing`,
};
const ASSIGN = {
  name: "assign roles and groups",
  text: "update memberships set assigned_roles = $3, assigned_groups = $4 where org_id = $1 and person_id = $2",
};
const CHANGE = {
  name: "change member",
  text: `update memberships set assigned_roles = $3, assigned_groups = $4, deputy_id = $5, deputy_from = $6,
      deputy_until = $7 where org_id = $1 and person_id = $2`,
};
const REMOVE = { name: "remove member", text: "delete from memberships where org_id = $1 and person_id = $2" };
const DROP_DEPUTY = {
  name: "drop deputy",
  text: `update memberships set deputy_id = null, deputy_from = null, deputy_until = null
    where org_id = $1 and deputy_id = $2`,
};
const REVOKE_KEYS = {
  name: "revoke keys of a person",
  text: `update keys set revoked_at = ${NOW_MS}
    where org_id = $1 and person_id = $2 and agent_id is null and revoked_at is null`,
};

async function find(sql: Sql, orgId: string, named: NamedMembers): Promise<readonly MemberRecord[]> {
  const { personIds = [], emails = [], accounts = [], groups = [], roles = [] } = named;
  const lists = [
    personIds,
    emails.map((email) => email.toLowerCase()),
    accounts.map(({ issuer }) => issuer),
    accounts.map(({ subject }) => subject),
    groups,
    roles,
  ];
  // A name with NUL matches no member, and the database would reject the query.
  if (lists.flat().some((text) => text.includes("\0"))) return [];
  return MEMBER.all(await lookUp(sql, FIND, [orgId, ...lists]));
}

async function list(sql: Sql, orgId: string, page: Page): Promise<Listed<MemberRecord>> {
  const after = decodeCursor(page.cursor);
  const rows = await lookUp(sql, LIST, [orgId, after?.at ?? null, after?.id ?? null, page.limit + 1]);
  return listed(MEMBER.all(rows), page.limit, ({ joinedAt, personId }) => ({ at: joinedAt, id: personId }));
}

async function standing(sql: Sql, orgId: string, personId: string): Promise<Standing | undefined> {
  const found = MEMBER.all(await lookUp(sql, STANDING, [orgId, personId]));
  const member = found.find((one) => one.personId === personId);
  return member === undefined ? undefined : { member, deputyFor: found.filter((one) => one !== member) };
}

async function claim(sql: Sql, orgId: string, personId: string, { roles, groups }: Claimed): Promise<void> {
  const params = [orgId, personId, JSON.stringify(roles), JSON.stringify(groups)];
  const known = await sql.query(UPDATE_CLAIMS, params);
  if (known.length > 0 || roles.length === 0) return;
  await sql.transaction(async (within) => {
    await within.query(JOIN, [orgId, personId]);
    await within.query(UPDATE_CLAIMS, params);
  });
}

/** Assigns roles and groups. A person who is no member becomes one. The organisation must be locked. */
export async function admitMember(
  sql: Sql,
  orgId: string,
  personId: string,
  assigned: (member: MemberRecord | undefined) => Claimed,
): Promise<void> {
  const { roles, groups } = assigned(MEMBER.first(await sql.query(GET, [orgId, personId])));
  await sql.query(JOIN, [orgId, personId]);
  await sql.query(ASSIGN, [orgId, personId, JSON.stringify(roles), JSON.stringify(groups)]);
}

/** Makes changes to the members of one organisation run one after the other, so that two admins cannot remove each other. */
export async function lockOrganisation(sql: Sql, orgId: string): Promise<void> {
  await sql.query(LOCK, [orgId]);
}

/** Changes a member unless the organisation would lose its last admin. `becomes` is null to remove the member. */
async function guarded(
  sql: Sql,
  orgId: string,
  personId: string,
  act: (member: MemberRecord) => Promise<void>,
  becomes: (member: MemberRecord) => MemberRecord | null,
): Promise<MemberOutcome> {
  if (orgId.includes("\0") || personId.includes("\0")) return "unknown";
  await lockOrganisation(sql, orgId);
  const members = MEMBER.all(await sql.query(ALL, [orgId]));
  const member = members.find((one) => one.personId === personId);
  if (member === undefined) return "unknown";
  const next = becomes(member);
  if (losesLastAdmin(members, member, next)) return "last_admin";
  await act(member);
  return "done";
}

async function write(sql: Sql, member: MemberRecord, change: MemberChange): Promise<void> {
  const { orgId, personId, assignedRoles, assignedGroups, deputyId, deputyFrom, deputyUntil } = memberAfter(
    member,
    change,
  );
  const assigned = [JSON.stringify(assignedRoles), JSON.stringify(assignedGroups)];
  await sql.query(CHANGE, [orgId, personId, ...assigned, deputyId, deputyFrom, deputyUntil]);
}

async function remove(sql: Sql, orgId: string, personId: string): Promise<void> {
  await sql.query(REMOVE, [orgId, personId]);
  await sql.query(DROP_DEPUTY, [orgId, personId]);
  await sql.query(REVOKE_KEYS, [orgId, personId]);
}
