import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { WatchedFolders } from "../watched-folders.ts";

/** Editors save in several steps. Changes within this time count as one save. */
const SETTLE_MS = 100;

/** Calls `again` after each save in the folders, until the person stops it. */
export async function watchFolders(
  io: Io,
  first: readonly string[],
  again: () => Promise<readonly string[]>,
): Promise<number> {
  const state: { wake: (() => void) | null; isStopped: boolean; isDirty: boolean } = {
    wake: null,
    isStopped: false,
    isDirty: false,
  };
  const watched = new WatchedFolders(() => {
    state.isDirty = true;
    state.wake?.();
  });
  const stopListening = io.onInterrupt(() => {
    state.isStopped = true;
    state.wake?.();
  });
  watched.follow(first);
  io.err.write("waiting for a saved file; Ctrl-C stops\n");
  while (!state.isStopped) {
    if (!state.isDirty) await new Promise<void>((resolve) => (state.wake = resolve));
    if (state.isStopped) break;
    await new Promise<void>((resolve) => io.clock.after(SETTLE_MS, resolve));
    state.isDirty = false;
    watched.follow(await again());
    io.err.write("waiting for a saved file; Ctrl-C stops\n");
  }
  stopListening();
  watched.close();
  return EXIT.fine;
}
