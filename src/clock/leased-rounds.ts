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
  /** Name of the lease that the holder must have. */
  readonly lease: string;
  /** Name of the work in trouble messages. */
  readonly what: string;
  readonly round: () => Promise<void>;
  /** Interval between rounds. Default: 30 seconds. */
  readonly everyMs?: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const EVERY_MS = 30_000;
/** Longer than the interval, so that the holder keeps the lease. Another process takes it soon after the holder dies. */
const LEASE_MS = 45_000;
/** During this time the holder need not renew the lease: no other process can have taken it. */
const CERTAIN_MS = 10_000;

/** Periodic rounds that only one of several processes performs at a time. */
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

  /** Stops the rounds and releases the lease, so that another process can take over at once. */
  async stop(): Promise<void> {
    const { leases, lease, what, onTrouble } = this.#options;
    await this.#rounds.stop();
    this.#takenAt = -Infinity;
    await leases.dropLease(lease, this.#holder).catch((error: unknown) => {
      onTrouble(`the watch over ${what} could not be handed on`, error);
    });
  }

  /** Performs one round now, unless another process holds the lease. */
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
