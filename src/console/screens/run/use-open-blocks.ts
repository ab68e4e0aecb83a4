import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { PlanDescription } from "../../../client/index.ts";
import { findOpenBlocks, type OpenBlock, pinBlocks } from "../../run/model/open-block.ts";
import type { RunFeed } from "../../run/model/run-feed.ts";
import { followRun } from "./use-run-feed.ts";

interface Followed {
  readonly stop: () => void;
  feed: RunFeed | undefined;
}

const NO_BLOCKS: ReadonlyMap<string, OpenBlock> = new Map();
const NO_PLANS: NonNullable<PlanDescription["blocks"]> = {};

/** Follows the open blocks of the page, each while it is open, at the moment that the page shows. */
export function useOpenBlocks(
  feed: RunFeed,
  plan: PlanDescription | null,
  open: ReadonlySet<string>,
): ReadonlyMap<string, OpenBlock> {
  useSyncExternalStore(feed.onLists, feed.version);
  const [, setChange] = useState(0);
  const followed = useRef(new Map<string, Followed>()).current;
  const before = useRef(NO_BLOCKS);
  const feedOf = (runId: string): RunFeed | undefined => followed.get(runId)?.feed;
  const found = findOpenBlocks(feed, open, feedOf, plan?.blocks ?? NO_PLANS, before.current);
  if (!isAlike(before.current, found.blocks)) before.current = found.blocks;
  const wanted = [...found.runIds].sort().join(" ");
  useEffect(() => {
    const change = (): void => setChange((count) => count + 1);
    const runIds = new Set(wanted === "" ? [] : wanted.split(" "));
    for (const [runId, { stop }] of followed) {
      if (runIds.has(runId)) continue;
      stop();
      followed.delete(runId);
    }
    for (const runId of runIds) if (!followed.has(runId)) followed.set(runId, follow(runId, change));
  }, [wanted, followed]);
  useEffect(
    () => () => {
      for (const { stop } of followed.values()) stop();
      followed.clear();
    },
    [followed],
  );
  // After every render, because the events of a block are read after its run has been found.
  useEffect(() => pinBlocks(before.current.values(), feed.shownAt()));
  return before.current;
}

function follow(runId: string, onChange: () => void): Followed {
  let stopListening: (() => void) | null = null;
  const followed: Followed = {
    feed: undefined,
    stop: () => {
      stopFollowing();
      stopListening?.();
    },
  };
  const stopFollowing = followRun(
    runId,
    (feed) => {
      followed.feed = feed;
      stopListening = feed.onLists(onChange);
      onChange();
    },
    () => undefined,
  );
  return followed;
}

function isAlike(left: ReadonlyMap<string, OpenBlock>, right: ReadonlyMap<string, OpenBlock>): boolean {
  return left.size === right.size && [...right].every(([key, block]) => left.get(key) === block);
}
