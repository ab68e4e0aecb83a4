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

/** The first word of every packet of a family: NDJSON, compressed with gzip, signed at its end. */
export const FAMILY_PACKET_FORMAT = "sluice-run-packet/1";

export interface PacketHeader {
  readonly kind: "header";
  readonly format: string;
  readonly org: string;
  /** The run itself; its child runs are in the same packet. */
  readonly run: string;
  readonly workflow: string;
  readonly runs: number;
  readonly endedAt: string | null;
  readonly archivedAt: string;
  /** When personal content was taken out of it, and by whom; absent: it never was. */
  readonly erased?: readonly PacketErasure[];
}

export interface PacketErasure {
  readonly at: string;
  readonly by: string;
  /** The run, and the hash of what was there. */
  readonly run: string;
  readonly sha256: string;
}

/** What follows the header, in this order: texts, contents of files, and the runs, child runs before their parents. */
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
  /** Lines before this one. */
  readonly lines: number;
  /** Of all bytes before this line. */
  readonly sha256: string;
  readonly key: string;
  readonly signature: string;
}

/** What is signed of a packet. */
export function signedText(sha256: string): string {
  return `${FAMILY_PACKET_FORMAT} ${sha256}`;
}
