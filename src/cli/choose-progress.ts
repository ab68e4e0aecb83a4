import type { Io } from "./io.ts";
import { createLiveTree } from "./live-tree.ts";
import { createLineProgress, type Progress, SILENT } from "./progress.ts";

/** Returns a live tree at a terminal, lines for logs, and no progress when only data is wanted. */
export function chooseProgress(io: Io, options: { readonly quiet?: boolean; readonly json?: boolean }): Progress {
  if (options.quiet === true || options.json === true) return SILENT;
  return io.err.isTty && io.env["TERM"] !== "dumb" ? createLiveTree(io) : createLineProgress(io);
}
