import type { TargetKey } from "./webhook-store.ts";

/** Data kept for channels besides their deliveries. */
export interface ChannelStore extends TicketStore {
  /** Takes a place among the messages a target may receive per minute. Returns 0 when it was taken, else the time until one is free. */
  takeSendSlot(target: TargetKey, perMinute: number): Promise<number>;
  /** Keeps the location of a message about an approval, so that it can be changed when the approval is answered. */
  addPosting(posting: Posting): Promise<void>;
  /** Returns postings, oldest first. */
  listPostings(orgId: string, targetId: string, approvalId: string): Promise<readonly Posting[]>;
  /** Returns the organisations that have registered a channel with this name. */
  findChannels(name: string, limit: number): Promise<readonly string[]>;
}

/** A sent message that can still be changed. */
export interface Posting extends TargetKey {
  readonly approvalId: string;
  /** Place of the message, as named by the service of the channel. */
  readonly place: string;
  readonly id: string;
}

/** Addresses that let one person answer one approval. Database time decides what has expired. */
export interface TicketStore {
  addTicket(ticket: NewTicket, ttlMs: number): Promise<void>;
  getTicket(hash: string): Promise<ApprovalTicket | undefined>;
  /** Takes an open ticket for `leaseMs`. Returns true for one caller at a time. */
  holdTicket(hash: string, leaseMs: number): Promise<boolean>;
  /** Ends a hold: the ticket becomes used, or open again. */
  closeTicket(hash: string, isUsed: boolean): Promise<void>;
  /** Deletes tickets that expired before an instant; returns how many. */
  pruneTickets(before: number, limit: number): Promise<number>;
}

export interface NewTicket {
  /** Hash of the text in the address. The text itself is not kept. */
  readonly hash: string;
  readonly orgId: string;
  readonly approvalId: string;
  /** The channel through which the ticket was sent. */
  readonly channel: string;
  /** Null when the address is not known to belong to a person. */
  readonly personId: string | null;
  readonly address: string;
  readonly name: string;
}

export interface ApprovalTicket extends NewTicket {
  readonly state: TicketState;
  readonly expiresAt: number;
}

export type TicketState = "open" | "used" | "expired";
