import { compareCodeUnits } from "../../core/base/index.ts";
import type { ApprovalTicket, ChannelStore, NewTicket, Posting } from "../channel-store.ts";
import { nextSendSlot } from "../send-slot.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

/** Channel data of a memory store. */
export interface MemoryChannels {
  /** Times of the messages sent to each target. */
  readonly turns: Map<string, readonly number[]>;
  readonly postings: Posting[];
  /** By hash. */
  readonly tickets: Map<string, MemoryTicket>;
}

interface MemoryTicket extends NewTicket {
  readonly expiresAt: number;
  readonly heldUntil: number;
  readonly usedAt: number | null;
}

export function createMemoryChannels(): MemoryChannels {
  return { turns: new Map(), postings: [], tickets: new Map() };
}

export function memoryChannels(world: MemoryWorld): ChannelStore {
  const { turns, postings, tickets } = world.channels;
  return {
    takeSendSlot: async ({ orgId, targetId }, perMinute) => {
      const key = keyOf(orgId, targetId);
      const { wait, after } = nextSendSlot(turns.get(key) ?? [], perMinute, world.now());
      if (wait === 0) turns.set(key, after);
      return wait;
    },
    addPosting: async (posting) => {
      const isKnown = postings.some((one) => keyOf(...Object.values(one)) === keyOf(...Object.values(posting)));
      if (!isKnown) postings.push(copy(posting));
    },
    listPostings: async (orgId, targetId, approvalId) =>
      postings
        .filter((one) => one.orgId === orgId && one.targetId === targetId && one.approvalId === approvalId)
        .map(copy),
    findChannels: async (name, limit) => {
      const orgs = [...world.entries.keys()].flatMap((key) => {
        const [orgId, kind, id] = JSON.parse(key) as readonly [string, string, string];
        return kind === "channel" && id === name ? [orgId] : [];
      });
      return orgs.sort(compareCodeUnits).slice(0, limit);
    },
    addTicket: async (ticket, ttlMs) => {
      tickets.set(ticket.hash, { ...copy(ticket), expiresAt: world.now() + ttlMs, heldUntil: 0, usedAt: null });
    },
    getTicket: async (hash) => {
      const ticket = tickets.get(hash);
      return ticket === undefined ? undefined : ticketOf(ticket, world.now());
    },
    holdTicket: async (hash, leaseMs) => {
      const ticket = tickets.get(hash);
      const now = world.now();
      if (ticket === undefined || ticketOf(ticket, now).state !== "open" || ticket.heldUntil > now) return false;
      tickets.set(hash, { ...ticket, heldUntil: now + leaseMs });
      return true;
    },
    closeTicket: async (hash, isUsed) => {
      const ticket = tickets.get(hash);
      if (ticket === undefined || ticket.usedAt !== null) return;
      tickets.set(hash, { ...ticket, heldUntil: 0, usedAt: isUsed ? world.now() : null });
    },
    pruneTickets: async (before, limit) => {
      const old = [...tickets.values()].filter(({ expiresAt }) => expiresAt < before);
      const gone = old.sort((left, right) => left.expiresAt - right.expiresAt).slice(0, limit);
      for (const { hash } of gone) tickets.delete(hash);
      return gone.length;
    },
  };
}

function ticketOf({ heldUntil: _heldUntil, usedAt, ...ticket }: MemoryTicket, now: number): ApprovalTicket {
  const state = usedAt !== null ? "used" : ticket.expiresAt <= now ? "expired" : "open";
  return { ...copy(ticket), state };
}
