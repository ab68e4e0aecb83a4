import { compareCodeUnits } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { RunVerdict } from "../governance-store.ts";
import type { Listed, Page } from "../store.ts";
import { copy, type MemoryVerdict, type MemoryWorld } from "./memory-world.ts";

/** Returns verdicts, newest first; those of the same moment by run, and within a run in the order they were made. */
export function listVerdicts(world: MemoryWorld, orgId: string, since: number, page: Page): Listed<RunVerdict> {
  const after = decodeCursor(page.cursor);
  const found = world.verdicts
    .map((verdict, index) => ({ verdict, index }))
    .filter(({ verdict }) => verdict.orgId === orgId && verdict.at >= since)
    .sort(
      (left, right) =>
        right.verdict.at - left.verdict.at ||
        compareCodeUnits(right.verdict.runId, left.verdict.runId) ||
        right.index - left.index,
    );
  const from = after === null ? 0 : found.findIndex(({ index }) => String(index) === after.id) + 1;
  const { data, nextCursor } = listed(found.slice(from, from + page.limit + 1), page.limit, ({ verdict, index }) => ({
    at: verdict.at,
    id: String(index),
  }));
  return { data: data.map(({ verdict }) => shown(verdict)), nextCursor };
}

function shown({ orgId: _org, ...verdict }: MemoryVerdict): RunVerdict {
  return copy(verdict);
}
