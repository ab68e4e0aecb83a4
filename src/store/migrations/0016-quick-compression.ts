import { compressBodies } from "./compression.ts";
import type { Migration } from "./migration.ts";

/**
 * LZ4 needs a fraction of the time of the default compression, for nearly the same size. Some databases are built
 * without it, and versions before 14 do not know the syntax: both keep their compression.
 */
export const QUICK_COMPRESSION: Migration = {
  version: 16,
  name: "quick compression",
  minReader: 13,
  statements: [compressBodies(["verdict_blocks", "audit_pending", "event_blocks"])],
};
