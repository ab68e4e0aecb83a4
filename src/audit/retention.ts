import {
  addLeaf,
  AUDIT_CATEGORIES,
  type AuditCategory,
  type AuditRecord,
  type AuditCheckpoint,
  EMPTY_FRONTIER,
  type PrunedSegments,
  rehash,
  rootOf,
  type Signing,
  signStatement,
  type PartlyPrunedSegment,
} from "../core/audit/index.ts";
import { required } from "../core/base/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { AuditStore, ClosedSegment, ComputePrune } from "../store/index.ts";

const DAY_MS = 86_400_000;

/** Days to keep the records of each category. Null means without limit. */
export type Retention = Readonly<Record<AuditCategory, number | null>>;

export const DEFAULT_RETENTION: Retention = {
  governance: null,
  security: null,
  execution: 365,
  lifecycle: 365,
  configuration: 365,
  routing: 365,
};

export interface PruneOptions {
  readonly retention: Retention;
  readonly signing: Signing;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Prunes at most `limit` segments of an organisation whose retention has ended, and returns how many. A segment loses
 * all records of a category at once, and keeps a signed statement about them, so that the rest still verifies.
 */
export async function pruneAudit(
  store: Pick<AuditStore, "pruneSegment">,
  orgId: string,
  options: PruneOptions,
  limit: number,
): Promise<number> {
  let count = 0;
  for (const { from, before, categories } of agesOf(options)) {
    const compute = pruning(orgId, new Set(categories), options);
    while (count < limit && (await store.pruneSegment(orgId, { from, before, categories }, compute))) count += 1;
  }
  return count;
}

interface Age {
  readonly from: number;
  readonly before: number;
  readonly categories: readonly AuditCategory[];
}

/** Returns one age range for each retention length, oldest first. The older a segment, the more categories may be pruned. */
function agesOf({ retention, now }: PruneOptions): readonly Age[] {
  const lengths = [...new Set(Object.values(retention).filter((days) => days !== null))].sort((a, b) => b - a);
  return lengths.map((days, index) => {
    const older = lengths[index - 1];
    return {
      from: older === undefined ? 0 : now - older * DAY_MS,
      before: now - days * DAY_MS,
      categories: AUDIT_CATEGORIES.filter((category) => (retention[category] ?? Infinity) <= days),
    };
  });
}

function pruning(orgId: string, categories: ReadonlySet<AuditCategory>, options: PruneOptions): ComputePrune {
  const { signing } = options;
  const at = isoFromEpochMs(options.now);
  return (read, previous) => {
    const closed = required(read.closed, "only closed segments are pruned");
    const records = read.lines.map((line) => JSON.parse(line) as AuditRecord);
    const going = records.filter(({ category }) => categories.has(category));
    if (going.length === 0) return { segment: closed, gone: [] };
    const checkpoint = checkedCheckpoint(closed, records);
    const gone = going.map(({ seq }) => seq);
    if (going.length === records.length) {
      return { segment: emptied(closed, checkpoint, previous, { org: orgId, at, signing }), gone };
    }
    const pairs = [...goneBefore(closed), ...going.map(({ seq, hash }) => [seq, hash] as const)];
    const thinned = signStatement(
      {
        kind: "thinned",
        org: orgId,
        at,
        fromSeq: closed.fromSeq,
        toSeq: closed.toSeq,
        gone: pairs.sort(([left], [right]) => left - right),
      },
      signing,
    );
    return { segment: { ...closed, pruned: thinned }, gone };
  };
}

/** Checks a segment against its signed checkpoint. Pruning signs a new statement, so it must not accept changed records. */
function checkedCheckpoint(closed: ClosedSegment, records: readonly AuditRecord[]): AuditCheckpoint {
  const checkpoint = JSON.parse(
    required(closed.checkpoint, "a segment with records has a checkpoint"),
  ) as AuditCheckpoint;
  const left = records.map((record) => [record.seq, rehash(record)] as const);
  const leaves = [...goneBefore(closed), ...left].sort(([a], [b]) => a - b);
  const frontier = leaves.reduce((tree, [, hash]) => addLeaf(tree, hash), EMPTY_FRONTIER);
  if (rootOf(frontier) === checkpoint.root) return checkpoint;
  throw new Error(
    `records ${closed.fromSeq} to ${closed.toSeq} do not fit their checkpoint, so that they are not pruned; verify the log`,
  );
}

function goneBefore({ pruned }: ClosedSegment): PartlyPrunedSegment["gone"] {
  return pruned === null ? [] : (JSON.parse(pruned) as PartlyPrunedSegment).gone;
}

interface Stamp {
  readonly org: string;
  readonly at: string;
  readonly signing: Signing;
}

/** Merges a segment without records with the empty segment before it. */
function emptied(
  closed: ClosedSegment,
  checkpoint: AuditCheckpoint,
  previous: ClosedSegment | null,
  { org, at, signing }: Stamp,
): ClosedSegment {
  const before = previous === null ? null : (JSON.parse(required(previous.pruned, "it is empty")) as PrunedSegments);
  const { fromSeq, prevHash } = before ?? checkpoint;
  const { toSeq, lastHash } = checkpoint;
  const pruned = signStatement({ kind: "pruned", org, at, fromSeq, toSeq, prevHash, lastHash }, signing);
  return { fromSeq, toSeq, at: closed.at, checkpoint: null, pruned };
}
