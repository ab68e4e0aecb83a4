import type { Recipient, Recipients } from "../outside/channel/index.ts";
import { type MemberRecord, type MembershipStore, type NamedMembers, rolesOf } from "../store/index.ts";
import { ROLES } from "../contract/index.ts";
import { permissionsOf } from "./permission.ts";

type Store = Pick<MembershipStore, "findMembers">;

const APPROVING = ROLES.filter((role) => permissionsOf(role).includes("governance:approve"));

/** Finds the members that the approvers of an approval name, and their present deputies. */
export function memberRecipients(store: Store, now: () => number): Recipients {
  return {
    forApproval: async (orgId, approvers) => {
      const asked = await membersAsked(store, orgId, approvers);
      const deputyIds = asked
        .filter((member) => hasActiveDeputy(member, now()))
        .flatMap(({ deputyId }) => deputyId ?? []);
      const deputies = deputyIds.length === 0 ? [] : await store.findMembers(orgId, { personIds: deputyIds });
      const members = new Map([...asked, ...deputies].map((member) => [member.personId, member]));
      const found = [...members.values()].filter(mayApprove).flatMap(recipientOf);
      const known = new Set(found.map(({ email }) => email.toLowerCase()));
      return [...found, ...addressesIn(approvers).filter(({ email }) => !known.has(email.toLowerCase()))];
    },
    forAddress: async (orgId, email) => {
      const members = await store.findMembers(orgId, { emails: [email] });
      return members.filter(({ isDisabled }) => !isDisabled).flatMap(recipientOf)[0] ?? null;
    },
  };
}

/** Without named approvers, returns all members who may approve, and reads no others. */
async function membersAsked(
  store: Store,
  orgId: string,
  approvers: readonly string[],
): Promise<readonly MemberRecord[]> {
  const members = await store.findMembers(orgId, approvers.length === 0 ? { roles: APPROVING } : namesIn(approvers));
  return members.filter(({ isDisabled }) => !isDisabled);
}

/** Sorts approver names: `user:` is an id, an address, or an issuer and a subject; `role:` and `team:` are groups. */
function namesIn(approvers: readonly string[]): NamedMembers {
  const after = (word: string): readonly string[] =>
    approvers.filter((who) => who.startsWith(word)).map((who) => who.slice(word.length));
  const users = after("user:");
  return {
    personIds: users,
    emails: users.filter((user) => user.includes("@")),
    accounts: users.flatMap((user) => {
      const space = user.indexOf(" ");
      return space === -1 ? [] : [{ issuer: user.slice(0, space), subject: user.slice(space + 1) }];
    }),
    groups: [...after("role:"), ...after("team:")],
  };
}

function hasActiveDeputy({ deputyFrom, deputyUntil }: MemberRecord, now: number): boolean {
  return (deputyFrom ?? Infinity) <= now && now < (deputyUntil ?? 0);
}

function mayApprove(member: MemberRecord): boolean {
  const roles = rolesOf(member);
  return !member.isDisabled && APPROVING.some((role) => roles.includes(role));
}

function recipientOf({ personId, email, name }: MemberRecord): readonly Recipient[] {
  return email === null ? [] : [{ personId, email, name }];
}

const USER_ADDRESS = /^user:([^\s@]+@[^\s@]+)$/;

/** Addresses without a member receive messages directly. */
function addressesIn(approvers: readonly string[]): readonly Recipient[] {
  return approvers.flatMap((who) => {
    const email = USER_ADDRESS.exec(who)?.[1];
    return email === undefined ? [] : [{ personId: null, email, name: email }];
  });
}
