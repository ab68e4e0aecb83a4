import type { AuditTrail } from "../audit/index.ts";
import type { Files } from "../files/index.ts";
import type { Store } from "../store/index.ts";
import type { ArchivePlaces } from "./archive-place.ts";
import { Archiver } from "./archiver.ts";
import { Importer } from "./importer.ts";

export interface HistoryOptions {
  readonly store: Store;
  readonly files: Files;
  readonly audit: AuditTrail;
  readonly places: ArchivePlaces;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What becomes of runs after their end. */
export interface History {
  readonly archiver: Archiver;
  readonly importer: Importer;
}

export function openHistory({ store, files, audit, places, now }: HistoryOptions): History {
  const archiver = new Archiver({ sources: { store, files, now }, store, audit, places });
  return { archiver, importer: new Importer({ store, files, audit, now }) };
}
