import type { Problem, TreePath } from "../base/index.ts";
import { parseDuration } from "../definition/index.ts";
import { instantOf } from "../expression/index.ts";
import { problemAt } from "../script/index.ts";
import type { SourceTree } from "../text/index.ts";

/** Any moment would do where no rule minds it; always the same one makes every case repeatable: 2026-01-01 in UTC. */
const DEFAULT_AT = 1_767_225_600_000;

/** At once is a time as well. */
export function readAfter(tree: SourceTree, path: TreePath, after: number | string, found: Problem[]): number {
  if (after === 0) return 0;
  const ms = parseDuration(after);
  if (ms === undefined) {
    const message = `"${String(after)}" is no duration of at most 30 days, such as 90s, 15m, 2h or 3d.`;
    found.push(problemAt(tree, path, "bad_duration", message));
  }
  return ms ?? 0;
}

export function readClock(tree: SourceTree, path: TreePath, clock: string | undefined, found: Problem[]): number {
  if (clock === undefined) return DEFAULT_AT;
  const at = instantOf(clock);
  if (at === undefined) {
    found.push(problemAt(tree, path, "wrong_type", `"${clock}" is no moment such as 2031-05-04T09:00:00Z.`));
  }
  return at ?? DEFAULT_AT;
}
