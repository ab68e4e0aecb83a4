import type { Client } from "pg";
import type { DatabaseHost } from "../index.ts";

/** A host that took writes when it was asked, until another one does or it refuses one. */
interface Leadership {
  readonly host: DatabaseHost;
}

/**
 * Which of several hosts takes writes.
 * - says which host the next connection tries, and moves on from one that cannot be used;
 * - knows for each connection under which leadership it was opened: those of an earlier one are of no use any more;
 * - ends those connections when another host leads, so that statements on a machine that vanished are not waited for.
 */
export class LeaderSearch {
  readonly hosts: readonly DatabaseHost[];
  readonly #connections = new Map<Client, Leadership>();
  #next = 0;
  #leadership: Leadership | null = null;

  constructor(hosts: readonly DatabaseHost[]) {
    this.hosts = hosts;
  }

  get next(): DatabaseHost {
    const host = this.hosts[this.#next];
    if (host === undefined) throw new RangeError("a database has at least one host");
    return host;
  }

  /** Those that may have become leader while the one we know does not answer. */
  get others(): readonly DatabaseHost[] {
    return this.hosts.filter((host) => host !== this.#leadership?.host);
  }

  /** A connection found that its host takes writes. */
  found(client: Client, host: DatabaseHost): void {
    this.lead(host);
    if (this.#leadership === null) return;
    this.#connections.set(client, this.#leadership);
    client.once("end", () => this.#connections.delete(client));
  }

  /** Another host leads: what was opened to the one before is ended. */
  lead(host: DatabaseHost): void {
    if (this.#leadership?.host === host) return;
    this.#leadership = { host };
    this.#next = this.hosts.indexOf(host);
    for (const old of this.#connections.keys()) if (!this.isCurrent(old)) endQuietly(old);
  }

  isCurrent(client: Client): boolean {
    const leadership = this.#connections.get(client);
    return leadership !== undefined && leadership === this.#leadership;
  }

  /** The host cannot be used: the next connection tries the one after it. Others may have moved on already. */
  passOver(host: DatabaseHost): void {
    if (this.next === host) this.#next = (this.#next + 1) % this.hosts.length;
  }

  /** The host of this connection refused a write: it leads no more, and its other connections are of no use either. */
  demote(client: Client): void {
    if (this.isCurrent(client)) this.#leadership = null;
  }
}

/** With a statement under way the socket is closed at once, and the caller gets an error. */
function endQuietly(client: Client): void {
  client.end().catch(() => undefined);
}
