import type { RunEvent } from "../core/event/index.ts";
import type { Plan } from "../core/plan/index.ts";
import { applyToView, createView, outlineOf, type PlanOutline, type RunView } from "../core/view/index.ts";

/** Outlines of the blocks of a file, by path. */
export type BlockOutlines = ReadonlyMap<string, PlanOutline>;

export function blockOutlinesOf({ blocks }: Plan): BlockOutlines {
  return new Map([...blocks].map(([path, plan]) => [path, outlineOf(plan)]));
}

/** The view of a run or of a block, and the nodes that contain it, outermost first. */
export interface ShownRun {
  readonly view: RunView;
  readonly around: readonly string[];
}

/** Path under which the `finally` steps are shown. */
const FINALLY = "finally";

/**
 * A run with the blocks inside it, each under the node that runs it. Elements of a list, and the blocks they run, are
 * folded into their node. The rounds of a repeated block are shown one after the other.
 */
export class ShownFamily {
  readonly root: RunView;
  readonly #blocks: BlockOutlines;
  readonly #runs = new Map<string, ShownRun>();

  constructor(rootId: string, outline: PlanOutline, blocks: BlockOutlines) {
    this.root = createView(outline);
    this.#blocks = blocks;
    this.#runs.set(rootId, { view: this.root, around: [] });
  }

  /** Folds an event of any run. Undefined when the run is not shown. */
  take(runId: string, event: RunEvent): ShownRun | undefined {
    const shown = this.#runs.get(runId);
    if (shown === undefined) return undefined;
    applyToView(shown.view, event);
    const begun = blockIn(shown.view, event);
    if (begun !== null) {
      const view = createView(this.#blocks.get(begun.block) ?? { nodes: [] });
      this.#runs.set(begun.runId, { view, around: [...shown.around, begun.nodeId] });
    }
    return shown;
  }

  /** Returns the block that an event of a run has started, if the block is shown. */
  begunBy({ type, payload }: RunEvent): string | null {
    if (type !== "child.started" && type !== "run.finally") return null;
    return this.#runs.has(payload.childRunId) ? payload.childRunId : null;
  }
}

interface Begun {
  readonly runId: string;
  readonly block: string;
  readonly nodeId: string;
}

function blockIn({ nodes }: RunView, { type, payload }: RunEvent): Begun | null {
  if (type === "run.finally") return { runId: payload.childRunId, block: FINALLY, nodeId: FINALLY };
  if (type !== "child.started" || payload.block === undefined) return null;
  const { nodeId, childRunId: runId, block } = payload;
  const parent = nodes.get(nodeId)?.instance?.parent;
  const isElement = parent !== undefined && nodes.get(parent)?.isRepeated !== true;
  return isElement ? null : { runId, block, nodeId };
}
