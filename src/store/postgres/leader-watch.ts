import { Client, type ClientConfig } from "pg";
import { checkLeads } from "./leader-client.ts";
import type { LeaderSearch } from "./leader-search.ts";

/** Interval of checks during a slow statement: each checks whether another host leads by now. */
const CHECK_EVERY_MS = 3_000;

/**
 * Finds the new leader while statements wait for a leader whose machine has vanished: it neither answers nor refuses,
 * so only a timeout would end the wait. When another host leads, the search ends the old connections at once.
 */
export class LeaderWatch {
  readonly #search: LeaderSearch;
  readonly #settings: ClientConfig;
  #checking: Promise<void> | null = null;

  constructor(search: LeaderSearch, settings: ClientConfig) {
    this.#search = search;
    this.#settings = settings;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#search.hosts.length === 1) return work();
    const timer = setInterval(() => void this.#check(), CHECK_EVERY_MS);
    timer.unref();
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }

  #check(): Promise<void> {
    this.#checking ??= this.#askOthers().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
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
          // The host is a standby or does not answer. A later check may succeed.
        } finally {
          client.end().catch(() => undefined);
        }
      }),
    );
  }
}
