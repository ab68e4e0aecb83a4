import { type Clock, Rounds } from "../clock/index.ts";
import type { Registered } from "./registered.ts";

export interface RegisteredCacheOptions {
  readonly load: (orgId: string) => Promise<Registered>;
  /** Configuration versions by organisation. A higher version means that something was registered or changed. */
  readonly versions: () => Promise<ReadonlyMap<string, number>>;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Poll interval. A change on any replica takes effect here within two seconds. */
const POLL_MS = 1_000;

/** The registered configuration of organisations, about a second old at most. */
export class RegisteredCache {
  readonly #options: RegisteredCacheOptions;
  readonly #known = new Map<string, { readonly version: number; readonly registered: Registered }>();
  readonly #rounds: Rounds;

  constructor(options: RegisteredCacheOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new Rounds({
      clock,
      everyMs: POLL_MS,
      round: () => this.#poll(),
      onTrouble: (error) => onTrouble("what is registered could not be read", error),
    });
  }

  start(): void {
    this.#rounds.start(POLL_MS);
  }

  stop(): void {
    void this.#rounds.stop();
  }

  knows(orgId: string): boolean {
    return this.#known.has(orgId);
  }

  async ensure(orgIds: Iterable<string>): Promise<void> {
    const missing = [...orgIds].filter((orgId) => !this.knows(orgId));
    if (missing.length === 0) return;
    const versions = await this.#options.versions();
    for (const orgId of missing) await this.#load(orgId, versions.get(orgId) ?? 0);
  }

  of(orgId: string): Registered {
    const known = this.#known.get(orgId);
    if (known === undefined) throw new Error(`nothing is known of the organisation ${orgId}`);
    return known.registered;
  }

  /** Loads the configuration after a change in this process, so that it takes effect at once. */
  async refresh(orgId: string): Promise<void> {
    const versions = await this.#options.versions();
    await this.#load(orgId, versions.get(orgId) ?? 0);
  }

  async #load(orgId: string, version: number): Promise<void> {
    const registered = await this.#options.load(orgId);
    // Loads may finish out of order. An older load must not undo a newer change.
    if ((this.#known.get(orgId)?.version ?? version) <= version) this.#known.set(orgId, { version, registered });
  }

  async #poll(): Promise<void> {
    const now = await this.#options.versions();
    for (const [orgId, { version }] of this.#known) {
      const newest = now.get(orgId) ?? 0;
      if (newest !== version) await this.#load(orgId, newest);
    }
  }
}
