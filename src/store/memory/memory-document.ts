import { documentOf, type RunDocument } from "../../core/search/index.ts";
import { hashesIn, readBodies } from "../event-pack.ts";
import { keyOf, type MemoryRun, type MemoryWorld } from "./memory-world.ts";

/** Builds the search document of a run from its present state. */
export function readDocument(world: MemoryWorld, run: MemoryRun): RunDocument {
  const events = readBodies(run.bodies);
  const texts = [...hashesIn(events)].map((hash) => world.blobs.get(keyOf(run.orgId, hash)) ?? "");
  return documentOf({ ...run.pinned, ...run.head }, events, texts);
}
