import type { Clock, Stop } from "../clock/index.ts";
import type { AuditStore, GovernanceStore } from "../store/index.ts";
import type { AuditTrail } from "./audit-trail.ts";
import { SEGMENT_MS_MAX } from "./sealing.ts";
import { pruneUsage } from "./usage-retention.ts";

export interface SealerOptions {
  readonly trail: AuditTrail;
  readonly store: Pick<AuditStore, "listPendingOrganisations" | "listAudited" | "packAudit"> &
    Pick<GovernanceStore, "pruneUsage">;
  readonly clock: Clock;
  readonly everyMs?: number;
  /** Interval between two searches for segments and usage whose retention has ended. */
  readonly pruneEveryMs?: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Counts of this process since it started. */
export interface SealerFigures {
  readonly sealedRecords: number;
  readonly checkpoints: number;
  readonly prunedSegments: number;
  readonly prunedUsage: number;
  /** Number of times when another replica was already sealing the chain. */
  readonly missed: number;
  readonly failures: number;
  /** Waiting time of the oldest entry in the last sealing. */
  readonly lagMs: number;
}

const ORGANISATIONS_MAX = 500;
/** Maximum number of segments from an older storage format that one round packs into blocks. */
const PACKED_MAX = 2_000;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Starts the sealer. Safe on any number of replicas: one seals an organisation's chain at a time, the others skip it. */
export function startSealer(options: SealerOptions): Sealer {
  const sealer = new Sealer(options);
  sealer.start();
  return sealer;
}

export class Sealer {
  readonly #options: SealerOptions;
  readonly #figures = {
    sealedRecords: 0,
    checkpoints: 0,
    prunedSegments: 0,
    prunedUsage: 0,
    missed: 0,
    failures: 0,
    lagMs: 0,
  };
  #pruneAt: number;
  #isStopped = false;
  #cancel: Stop | null = null;
  #underWay: Promise<void> | null = null;

  constructor(options: SealerOptions) {
    this.#options = options;
    this.#pruneAt = options.clock.now() + (options.pruneEveryMs ?? HOUR_MS);
  }

  start(): void {
    if (this.#isStopped) return;
    const { clock, everyMs = SECOND_MS } = this.#options;
    this.#cancel = clock.after(everyMs, () => void this.tick().then(() => this.start()));
  }

  /** Seals waiting entries and prunes when it is due. A call during a running tick returns that tick. */
  tick(): Promise<void> {
    this.#underWay ??= this.#guarded("looking for audit to seal", () => this.#round()).finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  figures(): SealerFigures {
    return { ...this.#figures };
  }

  /** Stops the sealer. Resolves when the running tick has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#underWay;
  }

  async #round(): Promise<void> {
    const { store, clock, pruneEveryMs = HOUR_MS } = this.#options;
    const orgs = await store.listPendingOrganisations(clock.now() - SEGMENT_MS_MAX, ORGANISATIONS_MAX);
    for (const orgId of orgs) {
      if (this.#isStopped) return;
      await this.#guarded(`sealing the audit of ${orgId}`, () => this.#seal(orgId));
    }
    if (clock.now() < this.#pruneAt) return;
    this.#pruneAt = clock.now() + pruneEveryMs;
    await this.#prune();
  }

  async #seal(orgId: string): Promise<void> {
    const { trail, clock } = this.#options;
    const figures = this.#figures;
    let rounds = 0;
    for await (const { records, segments } of trail.sealAll(orgId)) {
      rounds += 1;
      figures.sealedRecords += records.length;
      figures.checkpoints += segments.length;
      const [oldest] = records;
      if (oldest !== undefined) figures.lagMs = Math.max(0, clock.now() - oldest.at);
    }
    if (rounds === 0) figures.missed += 1;
  }

  async #prune(): Promise<void> {
    const { trail, store, clock } = this.#options;
    await this.#guarded("pruning usage", async () => {
      this.#figures.prunedUsage += await pruneUsage(store, clock.now());
    });
    await this.#guarded("packing the audit", async () => {
      for (let packed = 0; packed < PACKED_MAX && !this.#isStopped; packed += 1) if (!(await store.packAudit())) return;
    });
    let after: string | undefined = "";
    while (after !== undefined) {
      const orgs = await store.listAudited(after, ORGANISATIONS_MAX);
      for (const orgId of orgs) {
        if (this.#isStopped) return;
        await this.#guarded(`pruning the audit of ${orgId}`, async () => {
          this.#figures.prunedSegments += await trail.prune(orgId);
        });
      }
      after = orgs.at(-1);
    }
  }

  async #guarded(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#figures.failures += 1;
      this.#options.onTrouble(what, error);
    }
  }
}
