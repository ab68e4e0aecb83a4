import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { GatewayStore, NewTicket, TicketStore } from "../../store/index.ts";

/** How long the link in a message is valid. */
export const TICKET_MS = 24 * 3_600_000;

const ID_BYTES = 24;
/** Organisation, random number, and signature of the number. Links from earlier versions have no organisation. */
const SHAPE = /^(?:[\w-]+\.)?([\w-]{32})\.([\w-]{43})$/;

const KEY_BYTES = 32;

type Kept = Pick<TicketStore, "addTicket"> & Pick<GatewayStore, "ensureSecret">;

/**
 * Links that let one person answer one approval. A ticket is a random number with our signature, so that a forged one
 * is refused without a database query. Only its hash is stored.
 */
export class ApprovalTickets {
  readonly #store: Kept;
  /** The key of the installation, the same on every replica. */
  #key: string | null = null;

  constructor(store: Kept) {
    this.#store = store;
  }

  /** Stores a new ticket and returns its path. */
  async issue(ticket: Omit<NewTicket, "hash">): Promise<string> {
    const id = randomBytes(ID_BYTES).toString("base64url");
    await this.#store.addTicket({ ...ticket, hash: hashOf(id) }, TICKET_MS);
    const organisation = Buffer.from(ticket.orgId, "utf8").toString("base64url");
    return `/t/${organisation}.${id}.${await this.#sign(id)}`;
  }

  /** Returns the hash under which the ticket is stored; null when its signature is not ours. */
  async read(text: string): Promise<string | null> {
    const [, id = "", signature = ""] = SHAPE.exec(text) ?? [];
    const [given, expected] = [Buffer.from(signature, "utf8"), Buffer.from(await this.#sign(id), "utf8")];
    return given.length === expected.length && timingSafeEqual(given, expected) ? hashOf(id) : null;
  }

  async #sign(id: string): Promise<string> {
    this.#key ??= await this.#store.ensureSecret("approval-tickets", randomBytes(KEY_BYTES).toString("base64url"));
    return createHmac("sha256", this.#key).update(`approval-ticket/${id}`, "utf8").digest("base64url");
  }
}

function hashOf(id: string): string {
  return createHash("sha256").update(id, "utf8").digest("hex");
}

/** Returns the organisation named in a link, without verifying it; null when the link names none. */
export function organisationOfLink(text: string): string | null {
  const [organisation = "", ...rest] = text.split(".");
  return rest.length === 2 ? Buffer.from(organisation, "base64url").toString("utf8") : null;
}
