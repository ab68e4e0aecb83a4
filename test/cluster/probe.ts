import { setTimeout as pause } from "node:timers/promises";

const EVERY_MS = 100;
const PATIENCE_MS = 5_000;

/** A client that writes a fact every moment, and remembers which were acknowledged and when. */
export class Probe {
  readonly acknowledged: string[] = [];
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #working: Promise<void>;
  readonly #times: number[] = [];
  readonly #stopping = new AbortController();
  #waiting: { readonly since: number; readonly done: (at: number) => void }[] = [];

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url;
    this.#headers = headers;
    this.#working = this.#work();
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
      if (await this.#send(id)) {
        this.acknowledged.push(id);
        const at = Date.now();
        this.#times.push(at);
        for (const { since, done } of this.#waiting) if (asked >= since) done(at);
        this.#waiting = this.#waiting.filter(({ since }) => asked < since);
      }
      await pause(EVERY_MS);
    }
  }

  async #send(id: string): Promise<boolean> {
    try {
      const response = await fetch(`${this.#url}/api/v1/events`, {
        method: "POST",
        headers: { ...this.#headers, "content-type": "application/json" },
        body: JSON.stringify({ id, type: "outage.probe" }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      await response.text();
      return response.ok;
    } catch {
      return false;
    }
  }
}
