import type { z } from "zod";
import {
  type Invitation,
  invitationBody,
  invitationSchema,
  listOf,
  madeInvitationSchema,
  pageQuery,
} from "../../contract/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { InvitationRecord } from "../../store/index.ts";
import { noteChange } from "../audit-note.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { pageOf } from "../listing.ts";
import { requireMayName, requireWithin } from "../member-answer.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { hashSecret, newId, newToken } from "../secret.ts";
import { listOnWire } from "../wire.ts";

const INVITATION_MS = 604_800_000;

export const invitationRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/invitations",
    operation: "invitations.create",
    summary: "Invites a person by email. The link is valid for 7 days and shown only once; send it to the person.",
    permission: "keys:manage",
    body: { schema: invitationBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: { 201: { description: "The invitation with its link", schema: madeInvitationSchema } },
    handle: invite,
  }),
  defineRoute({
    method: "GET",
    path: "/invitations",
    operation: "invitations.list",
    summary: "Lists invitations, newest first, without their links.",
    permission: "keys:manage",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: listOf(invitationSchema) } },
    handle: async ({ services, principal, query }) => {
      const found = await services.store.listInvitations(principal.orgId, pageOf(query));
      const now = services.config.now();
      return json(listOnWire(found, (invitation) => invitationOnWire(invitation, now)));
    },
  }),
  defineRoute({
    method: "DELETE",
    path: "/invitations/{invitationId}",
    operation: "invitations.revoke",
    summary: "Revokes an invitation that was not accepted.",
    permission: "keys:manage",
    replies: { 204: { description: "The link is no longer valid", schema: null } },
    handle: revoke,
  }),
];

async function invite(call: Call<z.output<typeof invitationBody>, undefined>): Promise<Response> {
  const { services, principal, request, body } = call;
  requireWithin(principal, body.roles, "Inviting with these roles");
  if (body.groups.length > 0) requireMayName(principal, "Inviting into groups");
  const token = newToken();
  const invitation = await services.store.putInvitation(
    {
      id: newId("inv"),
      orgId: principal.orgId,
      email: body.email.toLowerCase(),
      roles: [...new Set(body.roles)],
      groups: [...new Set(body.groups)],
      hash: hashSecret(token),
      createdBy: principal.keyId,
    },
    INVITATION_MS,
  );
  const { id, email, roles, groups } = invitation;
  const detail = { email, roles: [...roles], groups: [...groups] };
  await noteChange(services, principal, "invitation.created", `invitation/${id}`, detail);
  const link = `${services.config.publicUrl ?? new URL(request.url).origin}/invite?token=${token}`;
  return json({ ...invitationOnWire(invitation, services.config.now()), link }, 201);
}

async function revoke({ services, principal, params }: Call<undefined, undefined>): Promise<Response> {
  const { invitationId = "" } = params;
  if (!(await services.store.revokeInvitation(principal.orgId, invitationId))) {
    throw new Refused("unknown_invitation", `There is no invitation "${invitationId}" that is not accepted.`);
  }
  await noteChange(services, principal, "invitation.revoked", `invitation/${invitationId}`);
  return new Response(null, { status: 204 });
}

function invitationOnWire(invitation: InvitationRecord, now: number): Invitation {
  const { id, email, roles, groups, createdBy, createdAt, expiresAt, acceptedBy } = invitation;
  return {
    id,
    email,
    roles: [...roles],
    groups: [...groups],
    state: stateOf(invitation, now),
    createdBy,
    createdAt: isoFromEpochMs(createdAt),
    expiresAt: isoFromEpochMs(expiresAt),
    acceptedBy,
  };
}

export function stateOf(
  { acceptedAt, revokedAt, expiresAt }: InvitationRecord,
  now: number,
): "open" | "accepted" | "revoked" | "expired" {
  if (acceptedAt !== null) return "accepted";
  if (revokedAt !== null) return "revoked";
  return expiresAt <= now ? "expired" : "open";
}
