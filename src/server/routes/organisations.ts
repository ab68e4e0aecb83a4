import type { z } from "zod";
import {
  listOf,
  madeOrganisationSchema,
  newOrganisationBody,
  type Organisation,
  organisationBody,
  organisationSchema,
  PERMISSIONS,
  type MintedKey,
} from "../../contract/index.ts";
import { ADMIN_ROLE, groupsOf, rolesOf } from "../../store/index.ts";
import { noteChange } from "../audit-note.ts";
import { signedInPersonOf, type Principal, requireSignedInPerson } from "../auth.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route, type Services } from "../route.ts";
import { hashSecret, newId, newSecret } from "../secret.ts";
import { unknownOrganisation } from "../session-cache.ts";
import { keyOnWire } from "../wire.ts";
import { removeMember } from "./persons.ts";

const body = { bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false };

export const organisationRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/organisations",
    operation: "organisations.list",
    summary: "Lists the organisations of the caller; for a key without a person, the organisation of the key.",
    permission: null,
    isPersonal: true,
    replies: { 200: { description: "All organisations", schema: listOf(organisationSchema) } },
    handle: async ({ services, principal }) => json({ data: await organisationsOf(services, principal) }),
  }),
  defineRoute({
    method: "POST",
    path: "/organisations",
    operation: "organisations.create",
    summary:
      "Creates an organisation. The caller becomes its admin; a key without a person receives an admin key of the organisation.",
    permission: "keys:manage",
    body: { ...body, schema: newOrganisationBody },
    replies: { 201: { description: "The organisation", schema: madeOrganisationSchema } },
    handle: create,
  }),
  defineRoute({
    method: "PATCH",
    path: "/organisations/{organisation}",
    operation: "organisations.rename",
    summary: "Sets the display name of the organisation. Its id does not change.",
    permission: "keys:manage",
    body: { ...body, schema: organisationBody },
    replies: { 200: { description: "The organisation", schema: organisationSchema } },
    handle: rename,
  }),
  defineRoute({
    method: "POST",
    path: "/organisations/{organisation}/leave",
    operation: "organisations.leave",
    summary: "Ends the caller's own membership. The last admin cannot leave.",
    permission: null,
    isPersonal: true,
    needsSignedInPerson: true,
    replies: { 204: { description: "The caller is no longer a member", schema: null } },
    handle: leave,
  }),
];

export async function organisationsOf({ store }: Services, principal: Principal): Promise<Organisation[]> {
  const personId = signedInPersonOf(principal);
  const { orgId } = principal;
  const memberships = personId === null ? [] : await store.listMemberships(personId);
  const own = memberships.map((membership) => ({
    id: membership.orgId,
    name: membership.organisationName ?? membership.orgId,
    roles: [...rolesOf(membership)],
    groups: [...groupsOf(membership)],
  }));
  if (orgId === "" || own.some(({ id }) => id === orgId)) return own;
  const found = await store.getOrganisation(orgId);
  return [...own, { id: orgId, name: found?.name ?? orgId, roles: [], groups: [] }];
}

async function create(call: Call<z.output<typeof newOrganisationBody>, undefined>): Promise<Response> {
  const { services, principal, body: asked } = call;
  const { id, name = id } = asked;
  const adminId = principal.agentId === null ? principal.personId : null;
  if (!(await services.store.createOrganisation(id, name, adminId))) {
    throw new Refused("organisation_exists", `There is an organisation "${id}" already.`);
  }
  services.people.forget();
  const change = { orgId: id, keyId: principal.keyId };
  await noteChange(services, change, "organisation.changed", `organisation/${id}`, { name, from: principal.orgId });
  const key = adminId === null ? await firstKey(services, principal, id) : null;
  const roles = adminId === null ? [] : [ADMIN_ROLE];
  return json({ id, name, roles, groups: [], key }, 201);
}

async function firstKey({ store, config }: Services, { keyId, agentId }: Principal, orgId: string): Promise<MintedKey> {
  const secret = newSecret();
  const key = {
    id: newId("key"),
    orgId,
    hash: hashSecret(secret),
    label: "admin",
    permissions: [...PERMISSIONS],
    agentId,
    isNamed: true,
    createdBy: keyId,
    personId: null,
    createdAt: config.now(),
    expiresAt: null,
    revokedAt: null,
  };
  await store.putKey(key);
  return { ...keyOnWire(key), key: secret };
}

async function rename(call: Call<z.output<typeof organisationBody>, undefined>): Promise<Response> {
  const { services, principal, params, body: asked } = call;
  const { organisation = "" } = params;
  if (organisation !== principal.orgId) throw unknownOrganisation(organisation);
  await services.store.ensureOrganisation(organisation);
  await services.store.renameOrganisation(organisation, asked.name);
  await noteChange(services, principal, "organisation.changed", `organisation/${organisation}`, { name: asked.name });
  const found = (await organisationsOf(services, principal)).find(({ id }) => id === organisation);
  return json(found);
}

async function leave({ services, principal, params }: Call<undefined, undefined>): Promise<Response> {
  const { organisation = "" } = params;
  const personId = requireSignedInPerson(principal);
  const member = await services.store.getMember(organisation, personId);
  if (member === undefined) throw unknownOrganisation(organisation);
  await removeMember(services, principal, member);
  return new Response(null, { status: 204 });
}
