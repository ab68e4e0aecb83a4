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
  /** 32 secret bytes, stored outside the database. Default: the installation's own key. */
  readonly seed?: string;
  /** Public keys that were used for signing earlier. */
  readonly formerKeys?: readonly string[];
  /** A file outside the database to which every checkpoint is also appended. */
  readonly checkpointFile?: string;
  readonly retention?: Retention;
}

export interface SealOutcome extends Pick<Sealed, "records" | "segments"> {
  /** True when a transaction sealed its maximum number of batches, so that more may be waiting. */
  readonly isFull: boolean;
}

/** Counts of this process since it started. */
export interface SealingFigures {
  readonly sealedRecords: number;
  readonly checkpoints: number;
  /** Waiting time of the oldest entry in the last sealing. */
  readonly lagMs: number;
  /** Epoch milliseconds. Null when there is none yet. */
  readonly lastCheckpointAt: number | null;
}

/** The position of an organisation's chain. */
export interface ChainState {
  readonly sealedSeq: number;
  /** The last record that a signed checkpoint covers. */
  readonly checkpointSeq: number;
}

/** Maximum number of waiting batches sealed in one transaction. A batch holds the entries of one commit or call. */
export const SEAL_BATCHES_MAX = 200;
/** Maximum number of transactions in a row, so that other work is not delayed. */
const SEAL_ROUNDS_MAX = 50;
const PRUNE_SEGMENTS_MAX = 1_000;

/** The audit chain of every organisation: seals, exports, verifies and prunes it. */
export class AuditTrail {
  readonly #options: AuditTrailOptions;
  readonly #figures = { sealedRecords: 0, checkpoints: 0, lagMs: 0, lastCheckpointAt: null as number | null };
  #signing: Promise<Signing> | null = null;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
  }

  /** Returns the public key of the signer. */
  async key(): Promise<string> {
    return (await this.#signer()).key;
  }

  /** Signs a text that is stored outside the log, with the key of the log. */
  async sign(text: string): Promise<{ readonly key: string; readonly signature: string }> {
    const { key, sign } = await this.#signer();
    return { key, signature: sign(text) };
  }

  /** True when the installation signed the text with its present key or a former one. */
  async isSigned(text: string, key: string, signature: string): Promise<boolean> {
    const keys = [await this.key(), ...(this.#options.formerKeys ?? [])];
    return keys.includes(key) && verifySignature(key, text, signature);
  }

  /** Seals waiting entries in one transaction. Null when another replica is sealing this chain. */
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

  /** Seals all waiting entries and yields the result of each transaction. Stops when another replica is sealing. */
  async *sealAll(orgId: string): AsyncGenerator<SealOutcome, void> {
    for (let round = 0; round < SEAL_ROUNDS_MAX; round += 1) {
      const outcome = await this.seal(orgId);
      if (outcome === null) return;
      yield outcome;
      if (!outcome.isFull) return;
    }
  }

  /** Seals all waiting entries, so that the next read includes what was just committed. */
  async catchUp(orgId: string): Promise<void> {
    for await (const _ of this.sealAll(orgId));
  }

  /** Yields the log as NDJSON, in pieces of whole lines. */
  async *export(orgId: string, watch?: ExportWatch): AsyncGenerator<string, void> {
    const { store, now, formerKeys = [] } = this.#options;
    const signing = await this.#signer();
    const former = [...new Set(formerKeys)].filter((key) => key !== signing.key);
    const watched = watch === undefined ? {} : { watch };
    yield* exportAudit(store, orgId, { signing, formerKeys: former, now: now(), ...watched });
  }

  /** Verifies the stored log, including its columns, against its hashes, the installation's key and the external checkpoints. */
  async verify(orgId: string): Promise<VerifyResult> {
    const anchors = await this.#anchors();
    const options = { key: await this.key(), ...(anchors === null ? {} : { anchors }) };
    const once = async (): Promise<VerifyResult> => {
      const columns = new ColumnCheck();
      return columns.judge(await verifyAudit(this.export(orgId, columns), options));
    };
    const result = await once();
    // Pruning during the read can cause a false result, so a failed check is repeated once.
    return result.ok ? result : once();
  }

  /** Prunes old segments and returns how many. */
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
      // The file does not exist before the first checkpoint.
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
