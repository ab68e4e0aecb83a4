/** Invitations to an organisation. */
import { z } from "zod";
import { type Answered, type Asked, moment } from "./field.ts";
import { groupNames, role } from "./person.ts";
import { ROLES } from "./key.ts";

const EMAIL_LENGTH_MAX = 254;

export const invitationBody = z.strictObject({
  email: z.email().max(EMAIL_LENGTH_MAX).describe("Verified email that a person needs to accept the invitation"),
  roles: z.array(role).min(1).max(ROLES.length),
  groups: groupNames.default([]),
});
export type InvitationRequest = Asked<typeof invitationBody>;

export const invitationSchema = z.object({
  id: z.string(),
  email: z.string(),
  roles: z.array(z.string()),
  groups: z.array(z.string()),
  state: z.enum(["open", "accepted", "revoked", "expired"]),
  createdBy: z.string(),
  createdAt: moment,
  expiresAt: moment,
  acceptedBy: z.string().nullable().describe("Id of the person who accepted"),
});
export type Invitation = Answered<typeof invitationSchema>;

export const madeInvitationSchema = invitationSchema.extend({
  link: z.string().describe("Link for the invited person; shown only once"),
});
export type MadeInvitation = Answered<typeof madeInvitationSchema>;
