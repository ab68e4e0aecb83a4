import { createHash, randomBytes } from "node:crypto";

const TICKET_MS = 600_000;
const TICKETS_MAX = 100;

/**
 * Addresses that sign in the first one to open them, for a person at the machine who should not have to copy a key.
 * Each works once and for ten minutes; memory keeps its hash, so that a working one cannot be read there.
 */
export class SessionTickets {
  readonly #now: () => number;
  readonly #open = new Map<string, { readonly secret: string; readonly until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The path that opens a session with this key. */
  issue(secret: string): string {
    const ticket = randomBytes(24).toString("base64url");
    const [oldest] = this.#open.keys();
    if (this.#open.size >= TICKETS_MAX && oldest !== undefined) this.#open.delete(oldest);
    this.#open.set(hashOf(ticket), { secret, until: this.#now() + TICKET_MS });
    return `/session/once?ticket=${ticket}`;
  }

  /** The key behind a ticket, the first time and in time; null otherwise. */
  redeem(ticket: string): string | null {
    const hash = hashOf(ticket);
    const found = this.#open.get(hash);
    this.#open.delete(hash);
    return found === undefined || found.until <= this.#now() ? null : found.secret;
  }
}

function hashOf(ticket: string): string {
  return createHash("sha256").update(ticket, "utf8").digest("hex");
}
