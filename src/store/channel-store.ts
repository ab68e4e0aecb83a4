import type { TargetKey } from "./webhook-store.ts";

/** What is kept for channels besides their deliveries. */
export interface ChannelStore extends TicketStore {
  /** A place among the messages a target is sent in any minute: 0 when it was taken, else how long none is free. */
  takeTurn(target: TargetKey, perMinute: number): Promise<number>;
  /** Keeps where a message about an approval stands, so that it can be changed when the approval is answered. */
  addPosting(posting: Posting): Promise<void>;
  /** Oldest first. */
  listPostings(orgId: string, targetId: string, approvalId: string): Promise<readonly Posting[]>;
  /** Organisations that have registered a channel of this name. */
  findChannels(name: string, limit: number): Promise<readonly string[]>;
}

/** A message that can be changed. */
export interface Posting extends TargetKey {
  readonly approvalId: string;
  /** As its service names it. */
  readonly place: string;
  readonly id: string;
}

/** Addresses that let one person answer one approval. Database time decides what has expired. */
export interface TicketStore {
  addTicket(ticket: NewTicket, ttlMs: number): Promise<void>;
  getTicket(hash: string): Promise<ApprovalTicket | undefined>;
  /** Takes an open ticket for `leaseMs`: true for one caller at a time. */
  holdTicket(hash: string, leaseMs: number): Promise<boolean>;
  /** Ends a hold: the ticket is used up, or open again. */
  closeTicket(hash: string, isUsed: boolean): Promise<void>;
  /** Forgets tickets that expired before an instant; answers how many. */
  pruneTickets(before: number, limit: number): Promise<number>;
}

export interface NewTicket {
  /** Of the text in the address, which is kept nowhere. */
  readonly hash: string;
  readonly orgId: string;
  readonly approvalId: string;
  /** The channel it was sent through. */
  readonly channel: string;
  /** Null: the address is not known to be a person's. */
  readonly personId: string | null;
  readonly address: string;
  readonly name: string;
}

export interface ApprovalTicket extends NewTicket {
  readonly state: TicketState;
  readonly expiresAt: number;
}

export type TicketState = "open" | "used" | "expired";
