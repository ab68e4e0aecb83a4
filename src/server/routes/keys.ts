import type { z } from "zod";
import { keySchema, listOf, mintBody, mintedKeySchema, pageQuery, type Permission } from "../../contract/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import { noteChange } from "../audit-note.ts";
import { missingPermissions, type Principal } from "../auth.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { pageOf } from "../listing.ts";
import { unknownPerson } from "../member-answer.ts";
import { permissionsOf } from "../permission.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route, type Services } from "../route.ts";
import { hashSecret, newId, newSecret } from "../secret.ts";
import { invalidRequest } from "../shape.ts";
import { keyOnWire, listOnWire } from "../wire.ts";

export const keyRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/keys",
    operation: "keys.create",
    summary:
      "Makes a key with a role or with permissions, at most those of the caller's key. The secret is shown only once.",
    permission: "keys:manage",
    body: { schema: mintBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: { 201: { description: "The new key with its secret", schema: mintedKeySchema } },
    handle: mint,
  }),
  defineRoute({
    method: "GET",
    path: "/keys",
    operation: "keys.list",
    summary: "Lists keys, without their secrets.",
    permission: "keys:manage",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: listOf(keySchema) } },
    handle: async ({ services, principal, query }) =>
      json(listOnWire(await services.store.listKeys(principal.orgId, pageOf(query)), keyOnWire)),
  }),
  defineRoute({
    method: "DELETE",
    path: "/keys/{keyId}",
    operation: "keys.revoke",
    summary:
      "Revokes a key: at once in this process, within two seconds in others; its streams end within one second. A key can only " +
      "revoke keys that have no permission it lacks itself.",
    permission: "keys:manage",
    replies: { 204: { description: "The key is no longer valid", schema: null } },
    handle: revoke,
  }),
];

async function mint({ services, principal, body }: Call<z.output<typeof mintBody>, undefined>): Promise<Response> {
  const permissions = wantedPermissions(body);
  const missing = missingPermissions(principal, permissions);
  if (missing.length > 0) {
    throw new Refused("forbidden", `A key can only hand on what it has itself; this one lacks ${missing.join(", ")}.`);
  }
  const createdAt = services.config.now();
  const secret = newSecret();
  const key = {
    id: newId("key"),
    orgId: principal.orgId,
    hash: hashSecret(secret),
    label: body.label,
    permissions,
    agentId: agentOf(principal, body.agent),
    isNamed: principal.permissions.has("governance:write"),
    createdBy: principal.keyId,
    personId: await personOf(services, principal, body.person),
    createdAt,
    expiresAt: expiryOf(principal, body.expiresAt, createdAt),
    revokedAt: null,
  };
  await services.store.putKey(key);
  await noteChange(services, principal, "key.created", `key/${key.id}`, {
    label: key.label,
    permissions: [...permissions],
    person: key.personId,
  });
  return json({ ...keyOnWire(key), key: secret }, 201);
}

async function revoke({ services, principal, params }: Call<undefined, undefined>): Promise<Response> {
  const { store, config, keys, streams } = services;
  const { keyId = "" } = params;
  const key = await store.getKey(principal.orgId, keyId);
  if (key === undefined) throw new Refused("unknown_api_key", `There is no key "${keyId}".`);
  const beyond = key.permissions.filter((permission) => !principal.permissions.has(permission));
  if (beyond.length > 0) {
    services.refusals.note(services, principal, "DELETE /api/v1/keys/{keyId}");
    const detail = `The key "${keyId}" may do what this one may not (${beyond.join(", ")}), so that this one cannot revoke it.`;
    throw new Refused("forbidden", detail);
  }
  await store.revokeKey(principal.orgId, keyId, config.now());
  keys.forget();
  streams.expire(keyId);
  await noteChange(services, principal, "key.revoked", `key/${keyId}`);
  return new Response(null, { status: 204 });
}

function wantedPermissions({ role, permissions }: z.output<typeof mintBody>): readonly Permission[] {
  if (role !== undefined && permissions === undefined) return permissionsOf(role);
  if (role === undefined && permissions !== undefined) return [...new Set(permissions)];
  const message = "Give either a role or permissions.";
  throw invalidRequest([{ code: role === undefined ? "missing_field" : "conflicting_fields", message, path: "role" }]);
}

/** Returns the person of a new key: its maker, unless it is made for another member. The maker is recorded in either case. */
async function personOf({ store }: Services, principal: Principal, wanted: string | undefined): Promise<string | null> {
  if (wanted === undefined || wanted === principal.personId) return principal.personId;
  if (!principal.permissions.has("governance:write")) {
    const detail = "A key answers as its person: making one for another person needs governance:write.";
    throw new Refused("forbidden", detail);
  }
  if ((await store.getMember(principal.orgId, wanted)) === undefined) throw unknownPerson(wanted);
  return wanted;
}

/** The key of an agent must not create a key of a person, who could answer the agent's approvals. */
function agentOf(principal: Principal, wanted: string | undefined): string | null {
  if (principal.agentId === null) return wanted ?? null;
  if (wanted === undefined || wanted === principal.agentId) return principal.agentId;
  throw new Refused("forbidden", `The key of agent "${principal.agentId}" can only mint keys for the same agent.`);
}

/** A key with an expiry cannot create a key that outlives it. */
function expiryOf(principal: Principal, wanted: string | undefined, now: number): number | null {
  const expiresAt = wanted === undefined ? null : Date.parse(wanted);
  if (expiresAt !== null && !(expiresAt > now)) {
    const message = `"expiresAt" is not in the future; it is ${isoFromEpochMs(now)} now.`;
    throw invalidRequest([{ code: "bad_number", message, path: "expiresAt" }]);
  }
  if (principal.expiresAt === null) return expiresAt;
  return expiresAt === null ? principal.expiresAt : Math.min(expiresAt, principal.expiresAt);
}
