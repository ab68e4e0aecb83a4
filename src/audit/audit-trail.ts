import type { Signing, VerifyResult } from "../core/audit/index.ts";
import type { AuditStore, GatewayStore, Sealed } from "../store/index.ts";
import { type Anchors, appendCheckpoints, readAnchors } from "./checkpoint-file.ts";
import { ColumnCheck } from "./column-check.ts";
import { exportAudit, type ExportWatch } from "./export.ts";
import { DEFAULT_RETENTION, pruneAudit, type Retention } from "./retention.ts";
import { sealing } from "./sealing.ts";
import { installationSigner, verifySignature } from "./signer.ts";
import { verifyAudit } from "./verify.ts";

export interface AuditTrailOptions {
  readonly store: AuditStore & Pick<GatewayStore, "ensureSecret">;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** 32 secret bytes, kept outside the database; the installation's own key otherwise. */
  readonly seed?: string;
  /** Public keys that signed before the present one. */
  readonly formerKeys?: readonly string[];
  /** A file outside the database that every checkpoint is appended to as well. */
  readonly checkpointFile?: string;
  readonly retention?: Retention;
}

export interface SealOutcome extends Pick<Sealed, "records" | "segments"> {
  /** As many batches were sealed as one transaction takes: there may be more. */
  readonly isFull: boolean;
}

/** What this process has sealed since it started. */
export interface SealingFigures {
  readonly sealedRecords: number;
  readonly checkpoints: number;
  /** How long the oldest entry of the last sealing had waited. */
  readonly lagMs: number;
  /** Epoch milliseconds; null: none yet. */
  readonly lastCheckpointAt: number | null;
}

/** Where the chain of an organisation stands. */
export interface ChainState {
  readonly sealedSeq: number;
  /** The last record a signed checkpoint covers. */
  readonly checkpointSeq: number;
}

/** Waiting batches sealed in one transaction; each holds the entries of one commit or call. */
export const SEAL_BATCHES_MAX = 200;
/** Transactions after which others have their turn. */
const SEAL_ROUNDS_MAX = 50;
const PRUNE_SEGMENTS_MAX = 1_000;

/** The chain of every organisation: sealing it, showing it, and deleting what is too old. */
export class AuditTrail {
  readonly #options: AuditTrailOptions;
  readonly #figures = { sealedRecords: 0, checkpoints: 0, lagMs: 0, lastCheckpointAt: null as number | null };
  #signing: Promise<Signing> | null = null;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
  }

  /** The public half of the key that signs. */
  async key(): Promise<string> {
    return (await this.#signer()).key;
  }

  /** Signs what is kept outside as the log is signed. */
  async sign(text: string): Promise<{ readonly key: string; readonly signature: string }> {
    const { key, sign } = await this.#signer();
    return { key, signature: sign(text) };
  }

  /** Whether the installation has signed a text, with its key or one before it. */
  async isSigned(text: string, key: string, signature: string): Promise<boolean> {
    const keys = [await this.key(), ...(this.#options.formerKeys ?? [])];
    return keys.includes(key) && verifySignature(key, text, signature);
  }

  /** One transaction; null when another replica is at it. */
  async seal(orgId: string): Promise<SealOutcome | null> {
    const { store, now, checkpointFile } = this.#options;
    const compute = sealing({ orgId, now: now(), signing: await this.#signer() });
    let batches = 0;
    const sealed = await store.seal(orgId, SEAL_BATCHES_MAX, (head, pending, saltsOf) => {
      batches = pending.length;
      return compute(head, pending, saltsOf);
    });
    if (sealed === null) return null;
    const { records, segments } = sealed;
    this.#count(sealed);
    const checkpoints = segments.flatMap(({ checkpoint }) => (checkpoint === null ? [] : [checkpoint]));
    if (checkpointFile !== undefined && checkpoints.length > 0) await appendCheckpoints(checkpointFile, checkpoints);
    return { records, segments, isFull: batches === SEAL_BATCHES_MAX };
  }

  figures(): SealingFigures {
    return { ...this.#figures };
  }

  async state(orgId: string): Promise<ChainState> {
    const { seq, segment } = await this.#options.store.auditHead(orgId);
    return { sealedSeq: seq, checkpointSeq: segment === null ? seq : segment.fromSeq - 1 };
  }

  /** Everything that waits now, unless another replica is at it; what became of it, a transaction at a time. */
  async *sealAll(orgId: string): AsyncGenerator<SealOutcome, void> {
    for (let round = 0; round < SEAL_ROUNDS_MAX; round += 1) {
      const outcome = await this.seal(orgId);
      if (outcome === null) return;
      yield outcome;
      if (!outcome.isFull) return;
    }
  }

  /** So that the next read finds what has just been committed. */
  async catchUp(orgId: string): Promise<void> {
    for await (const _ of this.sealAll(orgId));
  }

  /** NDJSON, a piece of whole lines at a time. */
  async *export(orgId: string, watch?: ExportWatch): AsyncGenerator<string, void> {
    const { store, now, formerKeys = [] } = this.#options;
    const signing = await this.#signer();
    const former = [...new Set(formerKeys)].filter((key) => key !== signing.key);
    const watched = watch === undefined ? {} : { watch };
    yield* exportAudit(store, orgId, { signing, formerKeys: former, now: now(), ...watched });
  }

  /** The log as it is kept, columns included, against itself, the installation's key and the checkpoints kept outside. */
  async verify(orgId: string): Promise<VerifyResult> {
    const anchors = await this.#anchors();
    const options = { key: await this.key(), ...(anchors === null ? {} : { anchors }) };
    const once = async (): Promise<VerifyResult> => {
      const columns = new ColumnCheck();
      return columns.judge(await verifyAudit(this.export(orgId, columns), options));
    };
    const result = await once();
    // Segments may have been pruned while they were read; that is no reason for an alarm.
    return result.ok ? result : once();
  }

  /** How many segments were pruned. */
  async prune(orgId: string): Promise<number> {
    const { store, now, retention = DEFAULT_RETENTION } = this.#options;
    const options = { retention, signing: await this.#signer(), now: now() };
    return pruneAudit(store, orgId, options, PRUNE_SEGMENTS_MAX);
  }

  #count({ records, segments }: Sealed): void {
    const figures = this.#figures;
    const now = this.#options.now();
    const [oldest] = records;
    figures.sealedRecords += records.length;
    figures.checkpoints += segments.length;
    if (oldest !== undefined) figures.lagMs = Math.max(0, now - oldest.at);
    if (segments.length > 0) figures.lastCheckpointAt = now;
  }

  async #anchors(): Promise<Anchors | null> {
    const { checkpointFile } = this.#options;
    if (checkpointFile === undefined) return null;
    return readAnchors(checkpointFile).catch((error: unknown) => {
      // Before the first checkpoint there is no file.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
      throw error;
    });
  }

  #signer(): Promise<Signing> {
    const { store, seed } = this.#options;
    this.#signing ??= installationSigner(store, seed ?? null).catch((error: unknown) => {
      this.#signing = null;
      throw error;
    });
    return this.#signing;
  }
}
