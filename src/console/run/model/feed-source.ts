import type { GraphSource } from "../../graph/graph-node.ts";
import type { RunFeed } from "./run-feed.ts";

const NONE: readonly string[] = [];

/** Returns the states of a run's nodes in the form that the canvas reads. */
export function sourceOfFeed(feed: RunFeed, canOpenBlocks = true): GraphSource {
  return {
    onNodes: feed.onNodes,
    node: feed.node,
    handoffs: (from, to) => feed.facts.handoffs.get(`${from}>${to}`) ?? NONE,
    hasBlock: (id) => canOpenBlocks && feed.facts.blocks.has(id),
    shownAt: feed.shownAt,
  };
}
