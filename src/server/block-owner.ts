import type { RunRecord, Store } from "../store/index.ts";

/** A run that is not a block. For a block, `eventId` is the last event before the block began. */
export interface BlockOwner {
  readonly run: RunRecord;
  readonly eventId: number | null;
}

const PAGE = 1_000;

/** Finds the run a block belongs to, to which operations on the block apply. Any other run is its own owner. */
export async function ownerOf(store: Pick<Store, "getRun" | "readEvents">, run: RunRecord): Promise<BlockOwner> {
  let owner: BlockOwner = { run, eventId: null };
  while (owner.run.block !== null && owner.run.parentRunId !== null) {
    const parent = await store.getRun(run.orgId, owner.run.parentRunId);
    if (parent === undefined) return owner;
    owner = { run: parent, eventId: await beginningOf(store, parent, owner.run.runId) };
  }
  return owner;
}

/** Returns the last event of the parent before it started the child. */
async function beginningOf(
  store: Pick<Store, "readEvents">,
  { orgId, runId, lastEventId }: RunRecord,
  childRunId: string,
): Promise<number> {
  for (let after = 0; after < lastEventId; after += PAGE) {
    for (const { type, payload, eventId } of await store.readEvents(orgId, runId, after, PAGE)) {
      if (type !== "child.started" && type !== "run.finally") continue;
      if ("childRunId" in payload && payload["childRunId"] === childRunId) return Math.max(1, eventId - 1);
    }
  }
  return lastEventId;
}
