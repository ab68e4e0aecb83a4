import type { AuditTrail } from "../audit/index.ts";
import { createMemoryObjects, Files } from "../files/index.ts";
import { ArchivePlaces, type History, openHistory } from "../history/index.ts";
import type { Store } from "../store/index.ts";

/** The files of an app that was given none: in memory. */
export function ownFiles(store: Store, now: () => number): Files {
  return new Files({ store, objects: createMemoryObjects(), secretKey: null, now });
}

/** The same of what becomes of runs: a folder beside the process is the only place for archives. */
export function ownHistory(store: Store, files: Files, audit: AuditTrail, now: () => number): History {
  const places = new ArchivePlaces({ root: "archives", isAnywhere: false, bucket: null });
  return openHistory({ store, files, audit, places, now });
}
