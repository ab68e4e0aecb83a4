import type { RunEvent } from "../event/index.ts";
import { FINALLY } from "../plan/index.ts";

/**
 * Names the runs of a family by the nodes that started them: `block/`, `each[2]/block/`. The second run that the same node
 * started is `block#2/`. The first run of the family has no name.
 */
export class RunPaths {
  readonly #paths = new Map<string, string>();
  /** Number of runs that each node has started. */
  readonly #started = new Map<string, number>();

  /** Takes the events of all runs, each in the order of its log. */
  take(runId: string, { type, payload }: RunEvent): void {
    if (type !== "child.started" && type !== "run.finally") return;
    const { childRunId } = payload;
    if (this.#paths.has(childRunId)) return;
    const node = `${this.of(runId)}${type === "child.started" ? payload.nodeId : FINALLY}`;
    const count = (this.#started.get(node) ?? 0) + 1;
    this.#started.set(node, count);
    this.#paths.set(childRunId, count === 1 ? `${node}/` : `${node}#${count}/`);
  }

  /** Returns the path of a run, with a slash at its end unless it is empty. */
  of(runId: string): string {
    return this.#paths.get(runId) ?? "";
  }
}
