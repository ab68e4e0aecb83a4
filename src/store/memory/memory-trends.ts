import { addFigures, type TrendFigures, trendStart } from "../../core/search/index.ts";
import type { TrendRow, TrendSelection } from "../search-store.ts";
import { shareOf } from "../trend-share.ts";
import { readDocument } from "./memory-document.ts";
import { keyOf, type MemoryWorld } from "./memory-world.ts";

/** Computes trends at the time of the query. */
export function memoryTrends(world: MemoryWorld, orgId: string, selection: TrendSelection): TrendRow[] {
  const { bucket, by, group, since, until } = selection;
  const rows = new Map<string, { bucketStart: number; group: string | null; figures: TrendFigures }>();
  for (const run of world.runs.values()) {
    if (run.orgId !== orgId || run.pinned.block !== null) continue;
    const share = shareOf({ ...run.pinned, ...run.head }, readDocument(world, run));
    if (share === null) continue;
    const bucketStart = trendStart(bucket, share.createdAt);
    if (bucketStart < since || bucketStart >= until) continue;
    for (const [kind, name] of share.groups) {
      if (kind !== (by ?? "") || (by !== null && group !== undefined && name !== group)) continue;
      const key = keyOf(bucketStart, name);
      const before = rows.get(key);
      if (before !== undefined) before.figures = addFigures(before.figures, share.figures);
      else rows.set(key, { bucketStart, group: by === null ? null : name, figures: share.figures });
    }
  }
  return [...rows.values()];
}
