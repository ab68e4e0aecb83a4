import { type GraphNode, outlinedNodesOf } from "../../graph/graph-node.ts";
import { type Inside, insideKey } from "../../graph/inside.ts";
import type { PlanDescription } from "../../../client/index.ts";
import { sourceOfFeed } from "./feed-source.ts";
import { instancesOf } from "./instances-of.ts";
import type { RunFeed } from "./run-feed.ts";

/** A block that is open on the page: its steps, and the run that contains them. */
export interface OpenBlock extends Inside {
  readonly runId: string;
  readonly feed: RunFeed;
  /** True for a run of another workflow. It is shown in the timeline, and only linked in the graph. */
  readonly isChild: boolean;
}

export interface OpenBlocks {
  /** Open blocks by key: the id of the node, or `node/step` inside a block. */
  readonly blocks: ReadonlyMap<string, OpenBlock>;
  /** The runs to follow. */
  readonly runIds: ReadonlySet<string>;
}

type Plans = NonNullable<PlanDescription["blocks"]>;
const NO_PLANS: Plans = {};

/** Finds all open blocks whose runs have been read. An unchanged block stays the same object. */
export function findOpenBlocks(
  feed: RunFeed,
  open: ReadonlySet<string>,
  feedOf: (runId: string) => RunFeed | undefined,
  plans: Plans,
  before: ReadonlyMap<string, OpenBlock>,
): OpenBlocks {
  const blocks = new Map<string, OpenBlock>();
  const runIds = new Set<string>();
  const look = (around: RunFeed, keyOf: (nodeId: string) => string, known: Plans): void => {
    for (const [nodeId, runId] of [...around.facts.blocks, ...around.facts.children]) {
      const key = keyOf(nodeId);
      if (!open.has(key)) continue;
      runIds.add(runId);
      const inner = feedOf(runId);
      if (inner === undefined) continue;
      const isChild = !around.facts.blocks.has(nodeId);
      // A child run has its own workflow file, so blocks with the same path are different blocks there.
      const inside = isChild ? NO_PLANS : known;
      blocks.set(key, blockOf({ runId, feed: inner, isChild }, inside, before.get(key)));
      look(inner, (id) => insideKey(key, id), inside);
    }
  };
  look(feed, (id) => id, plans);
  return { blocks, runIds };
}

function blockOf(
  block: Pick<OpenBlock, "runId" | "feed" | "isChild">,
  plans: Plans,
  before: OpenBlock | undefined,
): OpenBlock {
  const nodes = nodesOf(block.feed, plans);
  const isSame = before?.feed === block.feed && shapeOf(before.nodes) === shapeOf(nodes);
  return isSame ? before : { ...block, nodes, source: sourceOfFeed(block.feed) };
}

/** Describes the nodes for comparison. Instances are only added, so their number shows whether there are new ones. */
function shapeOf(nodes: readonly GraphNode[]): string {
  return nodes.map(({ id, parents, instances }) => `${id}<${parents.length}*${instances.length}`).join();
}

function nodesOf(feed: RunFeed, plans: Plans): readonly GraphNode[] {
  const instances = instancesOf(feed.newest.nodes.values());
  const { nodes } = feed.log.outline;
  const [first] = feed.log.events;
  const path = first?.type === "run.started" ? first.payload.block : undefined;
  const plan = path === undefined ? undefined : plans[path];
  return outlinedNodesOf(nodes, plan ?? null, instances);
}

/** Shows the runs of blocks as they were at a moment, as far as their events have been read. Null shows the newest state. */
export function pinBlocks(blocks: Iterable<Pick<OpenBlock, "feed">>, at: number | null): void {
  for (const { feed } of blocks) {
    const eventId = at === null ? null : (feed.log.events.findLast((event) => event.at <= at)?.eventId ?? 0);
    if (feed.pinnedAt !== eventId) feed.pin(eventId);
  }
}
