import type { PersonRecord } from "./person-store.ts";
import type { Listed, Page } from "./store.ts";

export interface MembershipStore {
  getMember(orgId: string, personId: string): Promise<MemberRecord | undefined>;
  /** Oldest membership first. */
  listMembers(orgId: string, page: Page): Promise<Listed<MemberRecord>>;
  /** Returns the members named in any of these ways, each once, oldest membership first. */
  findMembers(orgId: string, named: NamedMembers): Promise<readonly MemberRecord[]>;
  /** Returns a member, and the members whose deputy this member is now, by database time. */
  readStanding(orgId: string, personId: string): Promise<Standing | undefined>;
  /** Returns the organisations a person is a member of, by id. */
  listMemberships(personId: string): Promise<readonly MembershipView[]>;
  /** Applies roles and groups from the claims of a sign-in. A person who is no member becomes one only by a claimed role. */
  claimMembership(orgId: string, personId: string, claimed: Claimed): Promise<void>;
  changeMember(orgId: string, personId: string, change: MemberChange): Promise<MemberOutcome>;
  /** Removes a member. Also revokes the keys this person has made, except those of agents, and ends being the deputy of others. */
  removeMember(orgId: string, personId: string): Promise<MemberOutcome>;
}

export interface MembershipRecord {
  readonly orgId: string;
  readonly personId: string;
  /** Given by the issuer at the last sign-in. */
  readonly claimedRoles: readonly string[];
  readonly claimedGroups: readonly string[];
  /** Given by an admin of the organisation or an invitation. */
  readonly assignedRoles: readonly string[];
  readonly assignedGroups: readonly string[];
  readonly deputyId: string | null;
  readonly deputyFrom: number | null;
  readonly deputyUntil: number | null;
  readonly joinedAt: number;
}

export interface MemberRecord
  extends MembershipRecord, Pick<PersonRecord, "issuer" | "subject" | "email" | "name" | "isDisabled"> {}

/** Members as named in lists of approvers and in messages. */
export interface NamedMembers {
  readonly personIds?: readonly string[];
  /** Compared without regard to upper and lower case. */
  readonly emails?: readonly string[];
  readonly accounts?: readonly { readonly issuer: string; readonly subject: string }[];
  /** Claimed or assigned. */
  readonly groups?: readonly string[];
  /** Claimed or assigned. */
  readonly roles?: readonly string[];
}

export interface Standing {
  readonly member: MemberRecord;
  readonly deputyFor: readonly MemberRecord[];
}

export interface MembershipView extends MembershipRecord {
  readonly organisationName: string | null;
}

export interface Claimed {
  readonly roles: readonly string[];
  readonly groups: readonly string[];
}

export interface MemberChange {
  readonly assignedRoles?: readonly string[];
  readonly assignedGroups?: readonly string[];
  /** The deputy to set; null removes the deputy. */
  readonly deputy?: { readonly id: string; readonly from: number; readonly until: number } | null;
}

/** `last_admin`: the change would leave the organisation without an admin, so nothing was changed. */
export type MemberOutcome = "done" | "unknown" | "last_admin";

export const ADMIN_ROLE = "admin";

export function rolesOf({ claimedRoles, assignedRoles }: MembershipRecord): readonly string[] {
  return [...new Set([...claimedRoles, ...assignedRoles])];
}

export function groupsOf({ claimedGroups, assignedGroups }: MembershipRecord): readonly string[] {
  return [...new Set([...claimedGroups, ...assignedGroups])];
}

/** Returns the member as it is after a change. */
export function memberAfter(member: MemberRecord, change: MemberChange): MemberRecord {
  const { assignedRoles = member.assignedRoles, assignedGroups = member.assignedGroups, deputy } = change;
  if (deputy === undefined) return { ...member, assignedRoles, assignedGroups };
  const { id = null, from = null, until = null } = deputy ?? {};
  return { ...member, assignedRoles, assignedGroups, deputyId: id, deputyFrom: from, deputyUntil: until };
}

/** Whether an organisation would lose its last admin if one of its members became `next`; null when the member is removed. */
export function losesLastAdmin(
  members: readonly MemberRecord[],
  member: MemberRecord,
  next: MemberRecord | null,
): boolean {
  if (!isActiveAdmin(member) || (next !== null && isActiveAdmin(next))) return false;
  return !members.some((one) => one !== member && isActiveAdmin(one));
}

function isActiveAdmin(member: MemberRecord): boolean {
  return !member.isDisabled && rolesOf(member).includes(ADMIN_ROLE);
}
