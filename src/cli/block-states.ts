import type { NodeResult } from "../core/view/index.ts";
import type { Api } from "./api.ts";

/** A node of a run or of a block inside it, with its depth. */
export interface NestedNode {
  readonly node: NodeResult;
  readonly depth: number;
}

export interface NestedNodes {
  readonly nodes: readonly NestedNode[];
  /** Number of blocks that were left out. */
  readonly hidden: number;
}

/** Maximum number of blocks to read, because each one needs two requests. */
const BLOCKS_MAX = 50;
const PAGE = 1_000;
const FINALLY = "finally";

/** Returns the nodes of a run. Below each node come the nodes of its newest block, and at the end those of `finally`. */
export async function nestedNodes(api: Api, runId: string, results: readonly NodeResult[]): Promise<NestedNodes> {
  const reader = new Reader(api);
  const nodes = await reader.read(runId, results, 0);
  return { nodes, hidden: reader.hidden };
}

/** Adds the prefix `finally/`, as in the progress, because this block is below no node. */
function ofLast({ node, depth }: NestedNode): NestedNode {
  return { node: { ...node, nodeId: `${FINALLY}/${node.nodeId}` }, depth };
}

class Reader {
  hidden = 0;
  #read = 0;
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  async read(runId: string, results: readonly NodeResult[], depth: number): Promise<readonly NestedNode[]> {
    const blocks = await this.#blocksOf(runId);
    const found: NestedNode[] = [];
    for (const node of results) {
      found.push({ node, depth });
      found.push(...(await this.#inside(blocks.get(node.nodeId), depth + 1)));
    }
    const last = await this.#inside(blocks.get(FINALLY), depth);
    return [...found, ...last.map((one) => (one.depth === depth ? ofLast(one) : one))];
  }

  async #inside(runId: string | undefined, depth: number): Promise<readonly NestedNode[]> {
    if (runId === undefined) return [];
    if (this.#read >= BLOCKS_MAX) {
      this.hidden += 1;
      return [];
    }
    this.#read += 1;
    const { nodeResults } = await this.#api.getState(runId);
    return this.read(runId, nodeResults, depth);
  }

  /** Returns the run of the newest block of each node. */
  async #blocksOf(runId: string): Promise<ReadonlyMap<string, string>> {
    const blocks = new Map<string, string>();
    for (let afterEventId = 0; ;) {
      const { data } = await this.#api.listEvents(runId, { afterEventId, limit: PAGE });
      for (const { type, payload } of data) {
        if (type === "run.finally") blocks.set(FINALLY, payload.childRunId);
        if (type === "child.started" && payload.block !== undefined) blocks.set(payload.nodeId, payload.childRunId);
      }
      if (data.length < PAGE) return blocks;
      afterEventId += data.length;
    }
  }
}
