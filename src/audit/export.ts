import { EXPORT_FORMAT, type Signing, signStatement } from "../core/audit/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { AuditStore, ClosedSegment, RecordColumns, SegmentRead } from "../store/index.ts";

/** Receives each exported record and segment with its columns. `line` is its line number in the export, from 1. */
export interface ExportWatch {
  record(columns: RecordColumns, text: string, line: number): void;
  segment(closed: ClosedSegment, line: number): void;
}

export interface ExportOptions {
  readonly signing: Signing;
  /** Public keys that were used for signing earlier. */
  readonly formerKeys: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly watch?: ExportWatch;
}

/**
 * Yields the log of an organisation as NDJSON, in pieces of whole lines: a header, the segments of the chain, and a
 * signed head. Records sealed during the export are left out.
 */
export async function* exportAudit(
  store: Pick<AuditStore, "auditHead" | "readSegment">,
  orgId: string,
  { signing, formerKeys, now, watch }: ExportOptions,
): AsyncGenerator<string, void> {
  const { seq, hash, segment } = await store.auditHead(orgId);
  const checkpointSeq = segment === null ? seq : segment.fromSeq - 1;
  yield `${signStatement({ kind: "header", format: EXPORT_FORMAT, org: orgId, formerKeys }, signing)}\n`;
  let line = 1;
  for (let after = 0; after < seq;) {
    const read = await store.readSegment(orgId, after, seq);
    if (read === null) break;
    if (watch !== undefined) show(read, line, watch);
    line += linesIn(read);
    yield textOf(read);
    after = read.toSeq;
  }
  const at = isoFromEpochMs(now);
  yield `${signStatement({ kind: "head", org: orgId, at, seq, hash, checkpointSeq }, signing)}\n`;
}

function show({ closed, lines, columns }: SegmentRead, before: number, watch: ExportWatch): void {
  const first = before + ((closed?.pruned ?? null) === null ? 0 : 1) + 1;
  columns.forEach((beside, index) => watch.record(beside, lines[index] ?? "", first + index));
  if (closed !== null) watch.segment(closed, first + lines.length);
}

function linesIn({ closed, lines }: SegmentRead): number {
  return lines.length + [closed?.pruned ?? null, closed?.checkpoint ?? null].filter((line) => line !== null).length;
}

/** Returns the lines of a segment: the statement about pruned records first, then the records, then the checkpoint. */
function textOf({ closed, lines }: SegmentRead): string {
  return [closed?.pruned ?? null, ...lines, closed?.checkpoint ?? null]
    .filter((line) => line !== null)
    .map((line) => `${line}\n`)
    .join("");
}
