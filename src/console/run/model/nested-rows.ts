import type { GraphNode } from "../../graph/graph-node.ts";
import { insideKey } from "../../graph/inside.ts";
import type { OpenBlock } from "./open-block.ts";
import type { RunFeed } from "./run-feed.ts";
import { type TimelineRow, timelineRows } from "./timeline-rows.ts";

/** A row of the timeline, for a node of the run or of a block inside it. */
export interface NestedRow extends TimelineRow {
  /** The id of the node, or `node/step` inside a block. */
  readonly key: string;
  readonly feed: RunFeed;
  /** The run of the block that contains the step. Null for a node of the run itself. */
  readonly runId: string | null;
  /** Whether the node contains steps, and whether they are shown. */
  readonly hasBlock: boolean;
  readonly isBlockOpen: boolean;
}

/** Returns the rows, with the steps of an open block below the node that contains it. */
export function nestedRows(
  feed: RunFeed,
  nodes: readonly GraphNode[],
  open: ReadonlySet<string>,
  blocks: ReadonlyMap<string, OpenBlock>,
): readonly NestedRow[] {
  const rows: NestedRow[] = [];
  const add = (level: Level): void => {
    const { timeline, blocks: held, children } = level.feed.facts;
    const own = new Set([...open].flatMap((key) => level.ownId(key) ?? []));
    for (const row of timelineRows(level.nodes, own, (id) => timeline.begunAt(id))) {
      const key = level.keyOf(row.id);
      const block = blocks.get(key);
      const depth = level.depth + row.depth;
      const { feed: of, runId } = level;
      rows.push({
        ...row,
        key,
        depth,
        feed: of,
        runId,
        hasBlock: held.has(row.id) || children.has(row.id),
        isBlockOpen: block !== undefined,
      });
      if (block === undefined) continue;
      const before = insideKey(key, "");
      add({
        ...block,
        depth: depth + 1,
        keyOf: (id) => insideKey(key, id),
        ownId: (other) => (other.startsWith(before) ? other.slice(before.length) : undefined),
      });
    }
  };
  add({ feed, nodes, depth: 0, runId: null, keyOf: (id) => id, ownId: (key) => key });
  return rows;
}

interface Level {
  readonly feed: RunFeed;
  readonly nodes: readonly GraphNode[];
  readonly depth: number;
  readonly runId: string | null;
  readonly keyOf: (nodeId: string) => string;
  /** Returns the node of this level to which an open key refers. */
  readonly ownId: (key: string) => string | undefined;
}
