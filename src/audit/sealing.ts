import { createHmac } from "node:crypto";
import {
  addLeaf,
  type AuditEntry,
  type AuditHead,
  EMPTY_FRONTIER,
  type FreeText,
  freeTextOf,
  linkRecord,
  type OpenSegment,
  rootOf,
  type Signing,
  signStatement,
  withTextHashed,
} from "../core/audit/index.ts";
import { required } from "../core/base/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { AuditText, ClosedSegment, ComputeSeal, PendingAudit, SealedRecord } from "../store/index.ts";

const SEGMENT_RECORDS_MAX = 1_000;
export const SEGMENT_MS_MAX = 60_000;

export interface SealingOptions {
  readonly orgId: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly signing: Signing;
}

/** Gives waiting entries a number, a hash and a segment. Closes segments that are full or old enough. */
export function sealing({ orgId, now, signing }: SealingOptions): ComputeSeal {
  const close = (segment: OpenSegment, { seq, hash }: AuditHead): ClosedSegment => {
    const checkpoint = signStatement(
      {
        kind: "checkpoint",
        org: orgId,
        at: isoFromEpochMs(now),
        fromSeq: segment.fromSeq,
        toSeq: seq,
        prevHash: segment.prevHash,
        lastHash: hash,
        root: required(rootOf(segment.frontier), "a segment has records"),
      },
      signing,
    );
    return { fromSeq: segment.fromSeq, toSeq: seq, at: now, checkpoint, pruned: null };
  };
  return async (before, pending, saltsOf) => {
    const hashText = await hashing(pending, saltsOf);
    let head = before;
    const records: SealedRecord[] = [];
    const texts: AuditText[] = [];
    const segments: ClosedSegment[] = [];
    const closeIf = (isDue: (segment: OpenSegment) => boolean): void => {
      if (head.segment === null || !isDue(head.segment)) return;
      segments.push(close(head.segment, head));
      head = { ...head, segment: null };
    };
    for (const entry of entriesIn(pending)) {
      const written = freeTextOf(entry);
      if (written !== null) texts.push({ seq: head.seq + 1, ...written });
      const next = linked(orgId, head, written === null ? entry : withTextHashed(entry, hashText(written)), now);
      records.push(next.record);
      head = next.head;
      closeIf(({ frontier }) => frontier.count >= SEGMENT_RECORDS_MAX);
    }
    closeIf(({ openedAt }) => now - openedAt >= SEGMENT_MS_MAX);
    return { head, records, segments, texts };
  };
}

function entriesIn(pending: readonly PendingAudit[]): readonly AuditEntry[] {
  return pending.flatMap(({ entries }) => entries);
}

/** Returns the keyed hash of text that people wrote. After its salt is deleted, no guess of the text can be checked against it. */
async function hashing(
  pending: readonly PendingAudit[],
  saltsOf: Parameters<ComputeSeal>[2],
): Promise<(written: FreeText) => string> {
  const subjects = new Set(entriesIn(pending).flatMap((entry) => freeTextOf(entry)?.subject ?? []));
  const salts = subjects.size === 0 ? new Map<string, string>() : await saltsOf([...subjects].toSorted());
  return ({ subject, text }) =>
    createHmac("sha256", required(salts.get(subject), "every subject has a salt"))
      .update(text)
      .digest("hex");
}

function linked(
  org: string,
  head: AuditHead,
  entry: AuditEntry,
  now: number,
): { readonly record: SealedRecord; readonly head: AuditHead } {
  const seq = head.seq + 1;
  const { at, category, type, run } = entry;
  const { hash, line } = linkRecord({ org, seq, prevHash: head.hash, at: isoFromEpochMs(at) }, entry);
  const open = head.segment ?? { fromSeq: seq, prevHash: head.hash, openedAt: now, frontier: EMPTY_FRONTIER };
  return {
    record: { seq, at, category, type, run: run ?? null, line },
    head: { seq, hash, segment: { ...open, frontier: addLeaf(open.frontier, hash) } },
  };
}
