import { canonicalJson, type JsonObject } from "../base/index.ts";
import type { Frontier } from "./merkle.ts";

/** The name of the format, in the first line of every export. */
export const EXPORT_FORMAT = "sluice-audit/1";

interface Signed {
  readonly org: string;
  /** Public half of the key that signed it: `ed25519:` and 32 bytes as base64url. */
  readonly key: string;
  readonly signature: string;
}

/** First line: who vouches for the rest. */
export interface ExportHeader extends Signed {
  readonly kind: "header";
  readonly format: string;
  /** Keys that signed earlier parts of the log and are vouched for by the present one. */
  readonly formerKeys: readonly string[];
}

interface Span {
  readonly at: string;
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** Closes a segment: its place in the chain, and the root of the tree over its records. */
export interface AuditCheckpoint extends Signed, Span {
  readonly kind: "checkpoint";
  /** Of the record before the first. */
  readonly prevHash: string;
  /** Of the last record. */
  readonly lastHash: string;
  readonly root: string;
}

/** Stands for whole segments whose time is over. */
export interface Pruned extends Signed, Span {
  readonly kind: "pruned";
  readonly prevHash: string;
  readonly lastHash: string;
}

/** Stands before a segment of which some records are kept for longer than the others: the hashes of those gone. */
export interface Thinned extends Signed, Span {
  readonly kind: "thinned";
  readonly gone: readonly (readonly [seq: number, hash: string])[];
}

/** Last line: where the log ended when it was exported. */
export interface ExportHead extends Signed {
  readonly kind: "head";
  readonly at: string;
  readonly seq: number;
  readonly hash: string;
  /** The last record under a checkpoint; 0 when there is none. */
  readonly checkpointSeq: number;
}

export type Statement = ExportHeader | AuditCheckpoint | Pruned | Thinned | ExportHead;
/** Over each member of the union, which `Omit` alone would merge into one. */
type Unsigned<T> = T extends Statement ? Omit<T, "key" | "signature"> : never;

export interface Signing {
  readonly key: string;
  readonly sign: (text: string) => string;
}

/** The one line of text a statement is kept as. The signature is over the canonical text without itself. */
export function signStatement(statement: Unsigned<Statement>, { key, sign }: Signing): string {
  const unsigned = { ...statement, key } as unknown as JsonObject;
  return canonicalJson({ ...unsigned, signature: sign(canonicalJson(unsigned)) });
}

/** Where an organisation's chain ends, and the segment that is not closed yet. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
  readonly segment: OpenSegment | null;
}

export interface OpenSegment {
  readonly fromSeq: number;
  readonly prevHash: string;
  /** When its first record was sealed; epoch milliseconds. */
  readonly openedAt: number;
  readonly frontier: Frontier;
}
