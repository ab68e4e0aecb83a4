import { randomUUID } from "node:crypto";
import type { Clock, Leases, Stop } from "../clock/index.ts";

/** When its holder dies another process takes it so soon: meanwhile an organisation may be frozen. */
const LEASE_MS = 8_000;
const RENEW_MS = 2_500;

export interface HeldLeaseOptions {
  readonly leases: Leases;
  readonly clock: Clock;
  readonly name: string;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A short lease that is renewed for as long as what it is for takes. */
export class HeldLease {
  readonly #options: HeldLeaseOptions;
  readonly #holder = randomUUID();

  constructor(options: HeldLeaseOptions) {
    this.#options = options;
  }

  /** Does nothing while another process holds it. */
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

  drop(): Promise<void> {
    const { leases, name } = this.#options;
    return leases.dropLease(name, this.#holder);
  }

  #take(): Promise<boolean> {
    const { leases, name } = this.#options;
    return leases.takeLease(name, this.#holder, LEASE_MS);
  }
}
