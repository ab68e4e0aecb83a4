import { randomUUID } from "node:crypto";
import type { Clock, Leases, Stop } from "../clock/index.ts";

/** Short, so that another process soon takes the lease of a dead holder, because an organisation may be frozen at that time. */
const LEASE_MS = 8_000;
const RENEW_MS = 2_500;

export interface HeldLeaseOptions {
  readonly leases: Leases;
  readonly clock: Clock;
  readonly name: string;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A short lease that is renewed while its work runs. */
export class HeldLease {
  readonly #options: HeldLeaseOptions;
  readonly #holder = randomUUID();
  #mayHold = false;

  constructor(options: HeldLeaseOptions) {
    this.#options = options;
  }

  /** Runs the work under the lease. Does nothing while another process holds it. */
  async during(work: () => Promise<void>): Promise<void> {
    if (!(await this.#take())) return;
    const { clock, onTrouble, name } = this.#options;
    const renewal: { stop: Stop | null } = { stop: null };
    const renewLater = (): void => {
      renewal.stop = clock.after(RENEW_MS, () => {
        void this.#take().catch((error: unknown) => onTrouble(`the lease of ${name} could not be renewed`, error));
        renewLater();
      });
    };
    renewLater();
    try {
      await work();
    } finally {
      renewal.stop?.();
    }
  }

  async drop(): Promise<void> {
    const { leases, name } = this.#options;
    if (this.#mayHold) await leases.dropLease(name, this.#holder);
  }

  #take(): Promise<boolean> {
    const { leases, name } = this.#options;
    this.#mayHold = true;
    return leases.takeLease(name, this.#holder, LEASE_MS);
  }
}
