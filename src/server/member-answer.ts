import type { z } from "zod";
import { type deputyBody, type Permission, type Person, ROLES } from "../contract/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import { type MemberChange, type MemberOutcome, type MemberRecord, rolesOf, type Store } from "../store/index.ts";
import { missingPermissions, type Principal } from "./auth.ts";
import { permissionsOf } from "./permission.ts";
import { labelOf } from "./person-cache.ts";
import { Refused } from "./problem.ts";
import { invalidRequest } from "./shape.ts";

/** Returns members in the form of the API. Deputies are members too, but may be on another page. */
export async function personsOnWire(store: Store, members: readonly MemberRecord[], now: number): Promise<Person[]> {
  const known = new Map(members.map((member) => [member.personId, member]));
  return Promise.all(
    members.map(async (member) => {
      const { orgId, deputyId } = member;
      const deputy = deputyId === null ? undefined : (known.get(deputyId) ?? (await store.getMember(orgId, deputyId)));
      return personOnWire(member, deputy, now);
    }),
  );
}

function personOnWire(member: MemberRecord, deputy: MemberRecord | undefined, now: number): Person {
  const { claimedRoles, assignedRoles, claimedGroups, assignedGroups, deputyFrom, deputyUntil } = member;
  return {
    id: member.personId,
    name: member.name,
    email: member.email,
    label: labelOf(member),
    issuer: member.issuer,
    subject: member.subject,
    roles: sourced(claimedRoles, assignedRoles),
    groups: sourced(claimedGroups, assignedGroups),
    deputy:
      deputy === undefined || deputyFrom === null || deputyUntil === null
        ? null
        : {
            person: deputy.personId,
            label: labelOf(deputy),
            from: isoFromEpochMs(deputyFrom),
            until: isoFromEpochMs(deputyUntil),
            isActive: deputyFrom <= now && deputyUntil > now,
          },
    isDisabled: member.isDisabled,
    joinedAt: isoFromEpochMs(member.joinedAt),
  };
}

function sourced(claimed: readonly string[], assigned: readonly string[]): Person["roles"] {
  return [
    ...claimed.map((name) => ({ name, source: "claims" as const })),
    ...assigned.filter((name) => !claimed.includes(name)).map((name) => ({ name, source: "assigned" as const })),
  ];
}

export function unknownPerson(personId: string): Refused {
  return new Refused("unknown_person", `The organisation has no member "${personId}".`);
}

export async function requireMember(store: Store, orgId: string, personId: string): Promise<MemberRecord> {
  const member = await store.getMember(orgId, personId);
  if (member === undefined) throw unknownPerson(personId);
  return member;
}

export function requireDone(outcome: MemberOutcome, personId: string): void {
  if (outcome === "unknown") throw unknownPerson(personId);
  if (outcome === "done") return;
  throw new Refused("last_admin", "This is the only admin of the organisation; make another member an admin first.");
}

/** Returns the permissions of several roles together. */
export function permissionsOfRoles(roles: readonly string[]): readonly Permission[] {
  return [...new Set(ROLES.filter((role) => roles.includes(role)).flatMap(permissionsOf))];
}

/** Refuses when a caller would assign roles, or change a member with roles, that have permissions the caller lacks. */
export function requireWithin(principal: Principal, roles: readonly string[], what: string): void {
  const missing = missingPermissions(principal, permissionsOfRoles(roles));
  if (missing.length > 0) {
    throw new Refused("forbidden", `${what} needs permissions you do not have yourself: ${missing.join(", ")}.`);
  }
}

export function requireMayChange(principal: Principal, member: MemberRecord): void {
  requireWithin(principal, rolesOf(member), `Changing ${labelOf(member)}`);
}

/** Groups and deputies decide who answers approvals, like the approvers in a rule. */
export function requireMayName(principal: Principal, what: string): void {
  if (principal.permissions.has("governance:write")) return;
  throw new Refused("forbidden", `${what} decides who answers approvals, which needs governance:write.`);
}

type Deputy = NonNullable<MemberChange["deputy"]>;

/** Reads the deputy in a request: another member, for a future period. */
export async function readDeputy(
  store: Store,
  orgId: string,
  personId: string,
  { person, from, until }: z.output<typeof deputyBody>,
  now: number,
): Promise<Deputy> {
  const deputy = { id: person, from: from === undefined ? now : Date.parse(from), until: Date.parse(until) };
  if (person === personId) {
    throw invalidRequest([{ code: "bad_value", message: "No member is the own deputy.", path: "person" }]);
  }
  if (deputy.until <= deputy.from || deputy.until <= now) {
    const message = `"until" must be after "from" and in the future; it is ${isoFromEpochMs(now)} now.`;
    throw invalidRequest([{ code: "bad_value", message, path: "until" }]);
  }
  await requireMember(store, orgId, person);
  return deputy;
}
