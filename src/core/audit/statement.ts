import { canonicalJson, type JsonObject } from "../base/index.ts";
import type { Frontier } from "./merkle.ts";

/** The name of the format, in the first line of every export. */
export const EXPORT_FORMAT = "sluice-audit/1";

interface Signed {
  readonly org: string;
  /** Public key of the signer: `ed25519:` and 32 bytes as base64url. */
  readonly key: string;
  readonly signature: string;
}

/** First line of an export: names the signing key. */
export interface ExportHeader extends Signed {
  readonly kind: "header";
  readonly format: string;
  /** Keys that signed earlier parts of the log and are confirmed by the present key. */
  readonly formerKeys: readonly string[];
}

interface Span {
  readonly at: string;
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** Closes a segment: contains its position in the chain, and the root of the tree over its records. */
export interface AuditCheckpoint extends Signed, Span {
  readonly kind: "checkpoint";
  /** Hash of the record before the first record of the segment. */
  readonly prevHash: string;
  /** Hash of the last record of the segment. */
  readonly lastHash: string;
  readonly root: string;
}

/** Replaces whole segments whose retention has ended. */
export interface PrunedSegments extends Signed, Span {
  readonly kind: "pruned";
  readonly prevHash: string;
  readonly lastHash: string;
}

/** Precedes a segment in which some records were deleted and others are kept longer. Lists the hashes of the deleted records. */
export interface PartlyPrunedSegment extends Signed, Span {
  readonly kind: "thinned";
  readonly gone: readonly (readonly [seq: number, hash: string])[];
}

/** Last line of an export: the end of the log at the time of the export. */
export interface ExportHead extends Signed {
  readonly kind: "head";
  readonly at: string;
  readonly seq: number;
  readonly hash: string;
  /** Number of the last record covered by a checkpoint. 0 when there is none. */
  readonly checkpointSeq: number;
}

export type Statement = ExportHeader | AuditCheckpoint | PrunedSegments | PartlyPrunedSegment | ExportHead;
/** Applies to each member of the union separately. `Omit` alone would merge the members into one. */
type Unsigned<T> = T extends Statement ? Omit<T, "key" | "signature"> : never;

export interface Signing {
  readonly key: string;
  readonly sign: (text: string) => string;
}

/** Signs a statement and returns its line of text. The signature covers the canonical text without the signature. */
export function signStatement(statement: Unsigned<Statement>, { key, sign }: Signing): string {
  const unsigned = { ...statement, key } as unknown as JsonObject;
  return canonicalJson({ ...unsigned, signature: sign(canonicalJson(unsigned)) });
}

/** The end of an organisation's chain, and its open segment. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
  readonly segment: OpenSegment | null;
}

export interface OpenSegment {
  readonly fromSeq: number;
  readonly prevHash: string;
  /** When the first record of the segment was sealed, in epoch milliseconds. */
  readonly openedAt: number;
  readonly frontier: Frontier;
}
