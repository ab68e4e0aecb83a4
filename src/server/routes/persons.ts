import type { z } from "zod";
import { deputyBody, listOf, memberBody, pageQuery, personSchema } from "../../contract/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import type { MemberChange, MemberRecord } from "../../store/index.ts";
import { noteChange } from "../audit-note.ts";
import { requireSignedInPerson } from "../auth.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { pageOf } from "../listing.ts";
import {
  personsOnWire,
  readDeputy,
  requireDone,
  requireMayChange,
  requireMayName,
  requireMember,
  requireWithin,
} from "../member-answer.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route, type Services } from "../route.ts";
import { listOnWire } from "../wire.ts";

const body = { bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false };

export const personRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/persons",
    operation: "persons.list",
    summary: "Lists the members of the organisation, oldest membership first.",
    permission: "governance:read",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: listOf(personSchema) } },
    handle: async ({ services: { store, config }, principal, query }) => {
      const found = await store.listMembers(principal.orgId, pageOf(query));
      const data = await personsOnWire(store, found.data, config.now());
      return json(listOnWire({ ...found, data }, (person) => person));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/persons/{personId}",
    operation: "persons.get",
    summary: "Shows a member of the organisation.",
    permission: "governance:read",
    replies: { 200: { description: "The member", schema: personSchema } },
    handle: async ({ services, principal, params: { personId = "" } }) =>
      personAnswer(services, await requireMember(services.store, principal.orgId, personId)),
  }),
  defineRoute({
    method: "PATCH",
    path: "/persons/{personId}",
    operation: "persons.change",
    summary:
      "Changes a member: assigned roles and groups, the deputy, whether the person is disabled. Roles and groups from claims " +
      "change only at the next sign-in. The last admin keeps that role.",
    permission: "keys:manage",
    body: { ...body, schema: memberBody },
    replies: { 200: { description: "The changed member", schema: personSchema } },
    handle: change,
  }),
  defineRoute({
    method: "DELETE",
    path: "/persons/{personId}",
    operation: "persons.remove",
    summary:
      "Removes a member. Keys made by the person are revoked, except those of agents. The last admin cannot be removed.",
    permission: "keys:manage",
    replies: { 204: { description: "The person is no longer a member", schema: null } },
    handle: remove,
  }),
  defineRoute({
    method: "PUT",
    path: "/me/deputy",
    operation: "me.deputy.set",
    summary: "Sets the member who answers approvals in the caller's place between two dates.",
    permission: null,
    needsSignedInPerson: true,
    body: { ...body, schema: deputyBody },
    replies: { 200: { description: "The caller as a member", schema: personSchema } },
    handle: async (call) => {
      const { services, principal } = call;
      const member = await requireSelf(call);
      const { orgId, personId } = member;
      const deputy = await readDeputy(services.store, orgId, personId, call.body, services.config.now());
      return changed(services, principal, member, { deputy });
    },
  }),
  defineRoute({
    method: "DELETE",
    path: "/me/deputy",
    operation: "me.deputy.remove",
    summary: "Removes the caller's deputy.",
    permission: null,
    needsSignedInPerson: true,
    replies: { 200: { description: "The caller as a member", schema: personSchema } },
    handle: async (call) => changed(call.services, call.principal, await requireSelf(call), { deputy: null }),
  }),
];

type MemberCall<B> = Call<B, undefined>;

async function change(call: MemberCall<z.output<typeof memberBody>>): Promise<Response> {
  const { services, principal, params, body: asked } = call;
  const { store, config } = services;
  const member = await requireMember(store, principal.orgId, params["personId"] ?? "");
  requireMayChange(principal, member);
  if (asked.roles !== undefined) requireWithin(principal, asked.roles, "Giving these roles");
  const added = asked.groups?.filter((group) => !member.assignedGroups.includes(group)) ?? [];
  if (added.length > 0) requireMayName(principal, "Giving groups");
  if (asked.deputy !== undefined) requireMayName(principal, "Naming a deputy of another member");
  const { orgId, personId } = member;
  const deputy = asked.deputy && (await readDeputy(store, orgId, personId, asked.deputy, config.now()));
  if (asked.disabled !== undefined) await setDisabled(services, member, asked.disabled);
  return changed(services, principal, member, {
    ...(asked.roles === undefined ? {} : { assignedRoles: [...new Set(asked.roles)] }),
    ...(asked.groups === undefined ? {} : { assignedGroups: [...new Set(asked.groups)] }),
    ...(deputy === undefined ? {} : { deputy }),
  });
}

async function changed(
  services: Services,
  principal: Call<undefined, undefined>["principal"],
  { orgId, personId }: MemberRecord,
  wanted: MemberChange,
): Promise<Response> {
  requireDone(await services.store.changeMember(orgId, personId, wanted), personId);
  services.people.forget();
  const now = await requireMember(services.store, orgId, personId);
  await noteChange(services, principal, "person.changed", `person/${personId}`, detailOf(now));
  return personAnswer(services, now);
}

async function remove({ services, principal, params: { personId = "" } }: MemberCall<undefined>): Promise<Response> {
  const member = await requireMember(services.store, principal.orgId, personId);
  requireMayChange(principal, member);
  await removeMember(services, principal, member);
  return new Response(null, { status: 204 });
}

/** Takes effect on this replica at once: sessions lose the organisation, keys stop working, streams end. */
export async function removeMember(
  services: Services,
  principal: Call<undefined, undefined>["principal"],
  { orgId, personId }: Pick<MemberRecord, "orgId" | "personId">,
): Promise<void> {
  requireDone(await services.store.removeMember(orgId, personId), personId);
  services.people.forget();
  services.keys.forget();
  await noteChange(services, { orgId, keyId: principal.keyId }, "person.removed", `person/${personId}`);
}

/** A person is disabled in the whole installation. One of several organisations must not decide that for the others. */
async function setDisabled({ store }: Services, { orgId, personId, isDisabled }: MemberRecord, wanted: boolean) {
  if (isDisabled === wanted) return;
  const others = (await store.listMemberships(personId)).filter((membership) => membership.orgId !== orgId);
  if (others.length > 0) {
    const detail = "The person is a member of other organisations too; remove them from this one instead.";
    throw new Refused("member_elsewhere", detail);
  }
  requireDone((await store.setPersonDisabled(personId, wanted)) ? "done" : "unknown", personId);
}

async function requireSelf({ services, principal }: Pick<MemberCall<unknown>, "services" | "principal">) {
  return requireMember(services.store, principal.orgId, requireSignedInPerson(principal));
}

async function personAnswer({ store, config }: Services, member: MemberRecord): Promise<Response> {
  const [person] = await personsOnWire(store, [member], config.now());
  return json(person);
}

function detailOf({
  assignedRoles,
  assignedGroups,
  deputyId,
  deputyFrom,
  deputyUntil,
  isDisabled,
}: MemberRecord): JsonObject {
  const deputy = deputyId === null ? null : { person: deputyId, from: deputyFrom, until: deputyUntil };
  return { roles: [...assignedRoles], groups: [...assignedGroups], deputy, isDisabled };
}
