import { Client, type ClientConfig } from "pg";
import { checkLeads } from "./leader-client.ts";
import type { LeaderSearch } from "./leader-search.ts";

/** A statement that takes longer makes us look whether another host leads by now, again and again until it ends. */
const LOOK_EVERY_MS = 3_000;

/**
 * Finds the new leader while statements wait for one whose machine has vanished: nothing answers there, nothing refuses,
 * and only a timeout would end the wait. When another host leads, the search ends the old connections at once.
 */
export class Lookout {
  readonly #search: LeaderSearch;
  readonly #settings: ClientConfig;
  #looking: Promise<void> | null = null;

  constructor(search: LeaderSearch, settings: ClientConfig) {
    this.#search = search;
    this.#settings = settings;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#search.hosts.length === 1) return work();
    const timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
    timer.unref();
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }

  #look(): Promise<void> {
    this.#looking ??= this.#askOthers().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #askOthers(): Promise<void> {
    await Promise.all(
      this.#search.others.map(async (host) => {
        const client = new Client({ ...this.#settings, connectionString: host.url });
        client.on("error", () => undefined);
        try {
          await client.connect();
          await checkLeads(client);
          this.#search.lead(host);
        } catch {
          // A standby, or as silent as the leader we know: the next look may find more.
        } finally {
          client.end().catch(() => undefined);
        }
      }),
    );
  }
}
