import type { Listed, Page } from "./store.ts";

export interface InvitationStore {
  /** Open for so long, by database time. */
  putInvitation(invitation: NewInvitation, lifeMs: number): Promise<InvitationRecord>;
  findInvitation(hash: string): Promise<InvitationRecord | undefined>;
  /** Newest first. */
  listInvitations(orgId: string, page: Page): Promise<Listed<InvitationRecord>>;
  /** False when there is none, or it was accepted before. */
  revokeInvitation(orgId: string, invitationId: string): Promise<boolean>;
  /** Makes the person a member with its roles and groups; false unless it is open. Works once. */
  acceptInvitation(hash: string, personId: string): Promise<boolean>;
}

export interface NewInvitation {
  readonly id: string;
  readonly orgId: string;
  /** In lower case. Only a person with this verified email can accept. */
  readonly email: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  /** SHA-256 of the token, hex; the token itself is shown once. */
  readonly hash: string;
  readonly createdBy: string;
}

export interface InvitationRecord extends NewInvitation {
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly acceptedBy: string | null;
  readonly acceptedAt: number | null;
  readonly revokedAt: number | null;
}

/** What is there already, and what an invitation adds to it. */
export function mergedWords(before: readonly string[] | undefined, added: readonly string[]): readonly string[] {
  return [...new Set([...(before ?? []), ...added])];
}
