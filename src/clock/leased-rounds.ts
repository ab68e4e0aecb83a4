import { randomUUID } from "node:crypto";
import type { Clock } from "./clock.ts";
import { Rounds } from "./rounds.ts";

/** Named locks that expire; each has one holder at a time. */
export interface Leases {
  takeLease(name: string, holder: string, ttlMs: number): Promise<boolean>;
  dropLease(name: string, holder: string): Promise<void>;
}

export interface LeasedRoundsOptions {
  readonly leases: Leases;
  readonly clock: Clock;
  /** The name of the lease. */
  readonly lease: string;
  /** The work of the rounds, as trouble messages name it. */
  readonly what: string;
  readonly round: () => Promise<void>;
  /** Default: half a minute. */
  readonly everyMs?: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const EVERY_MS = 30_000;
/** Longer than a round, so that the holder keeps it; when the holder dies, another process takes it soon. */
const LEASE_MS = 45_000;
/** Until then the holder need not ask whether it still is: no other process can have taken the lease. */
const CERTAIN_MS = 10_000;

/** Rounds that one of any number of processes does. */
export class LeasedRounds {
  readonly #options: LeasedRoundsOptions;
  readonly #rounds: Rounds;
  readonly #holder = randomUUID();
  #takenAt = -Infinity;

  constructor(options: LeasedRoundsOptions) {
    this.#options = options;
    const { clock, what, everyMs = EVERY_MS, onTrouble } = options;
    this.#rounds = new Rounds({
      clock,
      everyMs,
      round: () => this.go(),
      onTrouble: (error) => onTrouble(`${what} could not be looked after`, error),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Releases the lease, so that another process takes over at once. */
  async stop(): Promise<void> {
    const { leases, lease, what, onTrouble } = this.#options;
    await this.#rounds.stop();
    this.#takenAt = -Infinity;
    await leases.dropLease(lease, this.#holder).catch((error: unknown) => {
      onTrouble(`the watch over ${what} could not be handed on`, error);
    });
  }

  /** One round now, unless another process holds the lease. */
  async go(): Promise<void> {
    const { leases, lease, round, clock } = this.#options;
    const now = clock.now();
    if (now - this.#takenAt >= CERTAIN_MS || now < this.#takenAt) {
      this.#takenAt = -Infinity;
      if (!(await leases.takeLease(lease, this.#holder, LEASE_MS))) return;
      this.#takenAt = now;
    }
    await round();
  }
}
