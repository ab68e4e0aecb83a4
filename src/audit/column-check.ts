import type { FirstBad, VerifyResult } from "../core/audit/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { ClosedSegment, RecordColumns } from "../store/index.ts";
import type { ExportWatch } from "./export.ts";

/**
 * Compares the columns of the audit log with its lines. Hashes and signatures cover only the lines. The columns repeat
 * some values, by which records are found, listed and pruned: a changed column hides a record or shows it elsewhere,
 * while the line still verifies. So each column must equal its value in the line.
 */
export class ColumnCheck implements ExportWatch {
  #firstBad: FirstBad | null = null;

  record(columns: RecordColumns, text: string, line: number): void {
    const { seq, at, category, type, run } = columns;
    this.#compare(text, { seq, at: isoFromEpochMs(at), category, type, run }, { line, what: "record", seq });
  }

  /** Checks the columns of a segment. Pruned segments are skipped: they may be merged, and their signed statements are verified. */
  segment({ fromSeq, toSeq, at, checkpoint, pruned }: ClosedSegment, line: number): void {
    if (checkpoint === null || pruned !== null) return;
    const place = { line, what: "checkpoint", seq: toSeq } as const;
    this.#compare(checkpoint, { fromSeq, toSeq, at: isoFromEpochMs(at) }, place);
  }

  /** Returns the verification result, or the first wrong column when it comes before the first wrong line. */
  judge(found: VerifyResult): VerifyResult {
    const bad = this.#firstBad;
    if (bad === null || (found.firstBad !== undefined && found.firstBad.line <= bad.line)) return found;
    return { ...found, ok: false, firstBad: bad };
  }

  #compare(text: string, columns: Readonly<Record<string, unknown>>, place: Omit<FirstBad, "reason">): void {
    const parsed = this.#firstBad === null ? read(text) : null;
    // The verifier itself reports a line that cannot be read.
    if (parsed === null) return;
    const column = Object.keys(columns).find((name) => (parsed[name] ?? null) !== columns[name]);
    if (column === undefined) return;
    this.#firstBad = { ...place, reason: `its column "${column}" is not what was hashed` };
  }
}

function read(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
