import { AuditTrail } from "../audit/index.ts";
import { createMemoryObjects, Files } from "../files/index.ts";
import { ArchivePlaces, type History, openHistory } from "../history/index.ts";
import type { Store } from "../store/index.ts";

interface KeptParts {
  readonly store: Store;
  readonly audit: AuditTrail | undefined;
  readonly files: Files | undefined;
  readonly history: History | undefined;
  readonly now: () => number;
}

/**
 * Returns the audit, files and history of an app. The defaults: an audit signed with the installation's key, files in
 * memory, and a folder beside the process for archives.
 */
export function ownHistory({ store, audit, files, history, now }: KeptParts): {
  readonly audit: AuditTrail;
  readonly files: Files;
  readonly history: History;
} {
  const trail = audit ?? new AuditTrail({ store, now });
  const kept = files ?? new Files({ store, objects: createMemoryObjects(), secretKey: null, now });
  const places = new ArchivePlaces({ root: "archives", isAnywhere: false, bucket: null });
  return {
    audit: trail,
    files: kept,
    history: history ?? openHistory({ store, files: kept, audit: trail, places, now }),
  };
}
