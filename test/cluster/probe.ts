import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";

const EVERY_MS = 100;
const PATIENCE_MS = 5_000;
const CONNECT_MS = 2_000;

/** A client that writes a fact every moment, and remembers which were acknowledged and when. */
export class Probe {
  readonly acknowledged: string[] = [];
  readonly #write: (id: string) => Promise<boolean>;
  readonly #working: Promise<void>;
  readonly #times: number[] = [];
  readonly #stopping = new AbortController();
  #waiting: { readonly since: number; readonly done: (at: number) => void }[] = [];

  private constructor(write: (id: string) => Promise<boolean>) {
    this.#write = write;
    this.#working = this.#work();
  }

  /** Sends events to a server. */
  static ofServer(url: () => string, headers: Readonly<Record<string, string>>): Probe {
    return new Probe((id) => sendEvent(url(), headers, id));
  }

  /** Inserts rows into a table, as a client that knows all hosts of a database and tries them in turn. */
  static ofDatabase(hosts: readonly string[], insert: string): Probe {
    let client: Client | null = null;
    let turn = 0;
    return new Probe(async (id) => {
      try {
        client ??= await connect(hosts[turn % hosts.length] ?? "");
        await client.query(insert, [id]);
        return true;
      } catch {
        client?.end().catch(() => undefined);
        client = null;
        turn += 1;
        return false;
      }
    });
  }

  /** When the first request that was made after a moment is acknowledged. */
  firstAfter(since: number): Promise<number> {
    return new Promise((done) => this.#waiting.push({ since, done }));
  }

  /** The longest time without an acknowledgement since a moment. */
  longestGap(since: number): number {
    const times = [since, ...this.#times.filter((time) => time > since)];
    return Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? time)));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    for (let count = 0; !this.#stopping.signal.aborted; count += 1) {
      const id = `probe-${count}`;
      const asked = Date.now();
      if (await this.#write(id)) {
        this.acknowledged.push(id);
        const at = Date.now();
        this.#times.push(at);
        for (const { since, done } of this.#waiting) if (asked >= since) done(at);
        this.#waiting = this.#waiting.filter(({ since }) => asked < since);
      }
      await pause(EVERY_MS);
    }
  }
}

async function sendEvent(url: string, headers: Readonly<Record<string, string>>, id: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/api/v1/events`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ id, type: "outage.probe" }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_MS, query_timeout: PATIENCE_MS });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}
