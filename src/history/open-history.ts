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
  /** Makes this process forget the memories of agents that are no longer stored. Default: it has none. */
  readonly forgetMemories?: () => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Archiving, import and erasure of runs that have ended. */
export interface History {
  readonly archiver: Archiver;
  readonly importer: Importer;
  readonly eraser: Eraser;
}

export function openHistory({ store, files, audit, places, forgetMemories, now }: HistoryOptions): History {
  const archiver = new Archiver({ sources: { store, files, now }, store, audit, places });
  const importer = new Importer({ store, files, audit, now });
  const forgetting = { forgetMemories: forgetMemories ?? (async () => undefined) };
  return { archiver, importer, eraser: new Eraser({ store, files, audit, archiver, ...forgetting, now }) };
}
