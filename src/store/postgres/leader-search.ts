import type { Client } from "pg";
import type { DatabaseHost } from "../index.ts";

/** A host that accepted writes when checked. Valid until another host leads or this one rejects a write. */
interface Leadership {
  readonly host: DatabaseHost;
}

/**
 * Finds which of several hosts takes writes.
 * - chooses the host that the next connection tries, and skips a host that cannot be used;
 * - records for each connection the leadership under which it was opened: connections of an earlier one are unusable;
 * - ends those connections when another host leads, so that no statement waits for a machine that vanished.
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

  /** Hosts that may have become leader while the known leader does not answer. */
  get others(): readonly DatabaseHost[] {
    return this.hosts.filter((host) => host !== this.#leadership?.host);
  }

  /** Records that a connection found its host accepting writes. */
  found(client: Client, host: DatabaseHost): void {
    this.lead(host);
    if (this.#leadership === null) return;
    this.#connections.set(client, this.#leadership);
    client.once("end", () => this.#connections.delete(client));
  }

  /** Sets the leader. When it is another host, connections to the previous leader are ended. */
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

  /** Skips a host that cannot be used: the next connection tries the one after it. Another connection may have skipped it already. */
  skip(host: DatabaseHost): void {
    if (this.next === host) this.#next = (this.#next + 1) % this.hosts.length;
  }

  /** Called when the host of this connection rejected a write: it no longer leads, so all its connections are unusable. */
  demote(client: Client): void {
    if (this.isCurrent(client)) this.#leadership = null;
  }
}

/** Closes the socket at once, even during a statement, whose caller then gets an error. */
function endQuietly(client: Client): void {
  client.end().catch(() => undefined);
}
