import type { AuditTrail } from "../audit/index.ts";
import type { Files } from "../files/index.ts";
import type { Store } from "../store/index.ts";
import type { ArchivePlaces } from "./archive-place.ts";
import { Archiver } from "./archiver.ts";
import { Eraser } from "./eraser.ts";
import { Importer } from "./importer.ts";

export interface HistoryOptions {
  readonly store: Store;
  readonly files: Files;
  readonly audit: AuditTrail;
  readonly places: ArchivePlaces;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Archiving, import and erasure of runs that have ended. */
export interface History {
  readonly archiver: Archiver;
  readonly importer: Importer;
  readonly eraser: Eraser;
}

export function openHistory({ store, files, audit, places, now }: HistoryOptions): History {
  const archiver = new Archiver({ sources: { store, files, now }, store, audit, places });
  const importer = new Importer({ store, files, audit, now });
  return { archiver, importer, eraser: new Eraser({ store, files, audit, archiver, now }) };
}
