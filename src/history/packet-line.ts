import type { AuditRecord } from "../core/audit/index.ts";
import type { FileValue, JsonObject } from "../core/base/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import type {
  ApprovalRecord,
  ArchivedComment,
  AttemptReport,
  MemoryRecord,
  RunRecord,
  StoredVerdict,
} from "../store/index.ts";

/** Format name in the header of a family packet: NDJSON, compressed with gzip, signed at its end. */
export const FAMILY_PACKET_FORMAT = "sluice-run-packet/1";

export interface PacketHeader {
  readonly kind: "header";
  readonly format: string;
  readonly org: string;
  /** The root run; its child runs are in the same packet. */
  readonly run: string;
  readonly workflow: string;
  readonly runs: number;
  readonly endedAt: string | null;
  readonly archivedAt: string;
  /** Erasures of personal content from the packet; absent when there were none. */
  readonly erased?: readonly PacketErasure[];
}

export interface PacketErasure {
  readonly at: string;
  readonly by: string;
  /** The erased run, and the hash of its log; for an erasure of the whole packet its root run, and the hash of the packet. */
  readonly run: string;
  readonly sha256: string;
}

/** The lines after the header, in this order: definitions, contents of files, and the runs, child runs before their parents. */
export type PacketLine =
  | { readonly kind: "definition"; readonly hash: string; readonly source: string; readonly catalog: JsonObject | null }
  | { readonly kind: "content"; readonly file: FileValue; readonly base64: string; readonly isLast: boolean }
  | { readonly kind: "run"; readonly run: RunRecord }
  | { readonly kind: "events"; readonly events: readonly RunEvent[] }
  | { readonly kind: "verdicts"; readonly verdicts: readonly StoredVerdict[] }
  | {
      readonly kind: "approval";
      readonly approval: ApprovalRecord;
      readonly comments: readonly ArchivedComment[];
    }
  | { readonly kind: "reports"; readonly reports: readonly AttemptReport[] }
  | { readonly kind: "memories"; readonly memories: readonly MemoryRecord[] }
  | { readonly kind: "files"; readonly files: readonly FileValue[] }
  | { readonly kind: "records"; readonly records: readonly AuditRecord[] };

export interface PacketEnd {
  readonly kind: "end";
  /** Number of lines before this one. */
  readonly lines: number;
  /** Hash of all bytes before this line. */
  readonly sha256: string;
  readonly key: string;
  readonly signature: string;
}

/** Returns the text whose signature is at the end of a packet. */
export function signedText(sha256: string): string {
  return `${FAMILY_PACKET_FORMAT} ${sha256}`;
}
