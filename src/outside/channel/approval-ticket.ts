import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { GatewayStore, NewTicket, TicketStore } from "../../store/index.ts";

/** How long a link in a message can be used. */
export const TICKET_MS = 24 * 3_600_000;

const ID_BYTES = 24;
/** Which organisation it is for, a number, and our signature under the number; links of earlier versions name no organisation. */
const SHAPE = /^(?:[\w-]+\.)?([\w-]{32})\.([\w-]{43})$/;

const KEY_BYTES = 32;

type Kept = Pick<TicketStore, "addTicket"> & Pick<GatewayStore, "ensureSecret">;

/**
 * Links that let one person answer one approval. The text of a ticket is a random number and our signature under it, so
 * that what we did not write is refused without asking the database; only its hash is kept.
 */
export class ApprovalTickets {
  readonly #store: Kept;
  /** Of the installation; every replica has the same. */
  #key: string | null = null;

  constructor(store: Kept) {
    this.#store = store;
  }

  /** The path of a new ticket. */
  async issue(ticket: Omit<NewTicket, "hash">): Promise<string> {
    const id = randomBytes(ID_BYTES).toString("base64url");
    await this.#store.addTicket({ ...ticket, hash: hashOf(id) }, TICKET_MS);
    const organisation = Buffer.from(ticket.orgId, "utf8").toString("base64url");
    return `/t/${organisation}.${id}.${await this.#sign(id)}`;
  }

  /** Under which it is kept; null: it was not written here. */
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

/** The organisation a link says it is for, which nothing has verified yet; null: it does not say. */
export function organisationOfLink(text: string): string | null {
  const [organisation = "", ...rest] = text.split(".");
  return rest.length === 2 ? Buffer.from(organisation, "base64url").toString("utf8") : null;
}
