import type { Listed, Page } from "./store.ts";

export interface InvitationStore {
  /** Stores an invitation that stays open for `lifeMs`, by database time. */
  putInvitation(invitation: NewInvitation, lifeMs: number): Promise<InvitationRecord>;
  findInvitation(hash: string): Promise<InvitationRecord | undefined>;
  /** Newest first. */
  listInvitations(orgId: string, page: Page): Promise<Listed<InvitationRecord>>;
  /** Returns false when the invitation does not exist or was accepted before. */
  revokeInvitation(orgId: string, invitationId: string): Promise<boolean>;
  /** Makes the person a member with the invited roles and groups. Returns false unless the invitation is open. Works once. */
  acceptInvitation(hash: string, personId: string): Promise<boolean>;
}

export interface NewInvitation {
  readonly id: string;
  readonly orgId: string;
  /** Email in lower case. Only a person with this verified email can accept. */
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

/** Joins existing words with those an invitation adds, without duplicates. */
export function mergedWords(before: readonly string[] | undefined, added: readonly string[]): readonly string[] {
  return [...new Set([...(before ?? []), ...added])];
}
