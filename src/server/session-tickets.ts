import { createHash, randomBytes } from "node:crypto";

const TICKET_MS = 600_000;
const TICKETS_MAX = 100;

/**
 * One-time addresses that sign in the first browser to open them, so that a person at the machine need not copy a key.
 * Each works once, within ten minutes. Only its hash is kept in memory, so that no valid address can be read there.
 */
export class SessionTickets {
  readonly #now: () => number;
  readonly #open = new Map<string, { readonly secret: string; readonly until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the path that opens a session with this key. */
  issue(secret: string): string {
    const ticket = randomBytes(24).toString("base64url");
    const [oldest] = this.#open.keys();
    if (this.#open.size >= TICKETS_MAX && oldest !== undefined) this.#open.delete(oldest);
    this.#open.set(hashOf(ticket), { secret, until: this.#now() + TICKET_MS });
    return `/session/once?ticket=${ticket}`;
  }

  /** Returns the key of a ticket when it is used for the first time and in time; null otherwise. */
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
