import type { Recipient, Recipients } from "../outside/channel/index.ts";
import { groupsOf, type MemberRecord, type MembershipStore, membersOf, rolesOf } from "../store/index.ts";
import { ROLES } from "../contract/index.ts";
import { permissionsOf } from "./permission.ts";

type Store = Pick<MembershipStore, "listMembers">;

/** The members behind the names of an approval, and their deputies while they stand in for them. */
export function memberRecipients(store: Store, now: () => number): Recipients {
  return {
    forApproval: async (orgId, approvers) => {
      const members = await activeMembers(store, orgId);
      const asked = members.filter((member) => isAsked(member, approvers));
      const deputies = members.filter(({ personId }) => asked.some((member) => isDeputy(member, personId, now())));
      const found = [...new Set([...asked, ...deputies])].filter(mayApprove).flatMap(recipientOf);
      const known = new Set(found.map(({ email }) => email.toLowerCase()));
      return [...found, ...addressesIn(approvers).filter(({ email }) => !known.has(email.toLowerCase()))];
    },
    forAddress: async (orgId, email) => {
      const wanted = email.toLowerCase();
      const members = await activeMembers(store, orgId);
      return members.flatMap(recipientOf).find((one) => one.email.toLowerCase() === wanted) ?? null;
    },
  };
}

async function activeMembers(store: Store, orgId: string): Promise<readonly MemberRecord[]> {
  const members: MemberRecord[] = [];
  for await (const member of membersOf(store, orgId)) if (!member.isDisabled) members.push(member);
  return members;
}

/** None are named: all who may approve. */
function isAsked(member: MemberRecord, approvers: readonly string[]): boolean {
  if (approvers.length === 0) return true;
  const { personId, email, issuer, subject } = member;
  const groups = groupsOf(member).flatMap((group) => [`role:${group}`, `team:${group}`]);
  const users = [personId, `${issuer} ${subject}`].map((name) => `user:${name}`);
  const names = new Set([...groups, ...users, ...(email === null ? [] : [`user:${email.toLowerCase()}`])]);
  return approvers.some((who) => names.has(who) || names.has(who.toLowerCase()));
}

function isDeputy({ deputyId, deputyFrom, deputyUntil }: MemberRecord, personId: string, now: number): boolean {
  return deputyId === personId && (deputyFrom ?? Infinity) <= now && now < (deputyUntil ?? 0);
}

function mayApprove(member: MemberRecord): boolean {
  const roles = rolesOf(member);
  return ROLES.some((role) => roles.includes(role) && permissionsOf(role).includes("governance:approve"));
}

function recipientOf({ personId, email, name }: MemberRecord): readonly Recipient[] {
  return email === null ? [] : [{ personId, email, name }];
}

const USER_ADDRESS = /^user:([^\s@]+@[^\s@]+)$/;

/** Addresses that belong to no member are written to as they are. */
function addressesIn(approvers: readonly string[]): readonly Recipient[] {
  return approvers.flatMap((who) => {
    const email = USER_ADDRESS.exec(who)?.[1];
    return email === undefined ? [] : [{ personId: null, email, name: email }];
  });
}
