import type { Problem, TreePath } from "../base/index.ts";
import { parseDuration } from "../definition/index.ts";
import { instantOf } from "../expression/index.ts";
import { problemAt } from "../script/index.ts";
import type { SourceTree } from "../text/index.ts";

/** Default start time of a case: 2026-01-01 in UTC. Any fixed time would do. It is always the same, so that cases are repeatable. */
const DEFAULT_AT = 1_767_225_600_000;

/** Reads the delay of an event in milliseconds. 0 is allowed here, although it is not a valid duration elsewhere. */
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
