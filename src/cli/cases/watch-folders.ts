import { type FSWatcher, watch } from "node:fs";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { isProjectFile } from "../project-folders.ts";

/** Editors save in several steps. Changes within this time count as one save. */
const SETTLE_MS = 100;

/** Calls `again` after each save in the folders, until the person stops it. */
export async function watchFolders(
  io: Io,
  first: readonly string[],
  again: () => Promise<readonly string[]>,
): Promise<number> {
  const watchers = new Map<string, FSWatcher>();
  const state: { wake: (() => void) | null; isStopped: boolean; isDirty: boolean } = {
    wake: null,
    isStopped: false,
    isDirty: false,
  };
  const onSave = (_event: string, name: string | null): void => {
    if (!isProjectFile(name ?? "")) return;
    state.isDirty = true;
    state.wake?.();
  };
  const follow = (folders: readonly string[]): void => {
    for (const folder of folders) {
      if (watchers.has(folder)) continue;
      const watcher = watch(folder, onSave);
      // The folder was removed. It is watched again when its files are read the next time.
      watcher.on("error", () => watchers.delete(folder));
      watchers.set(folder, watcher);
    }
  };
  const stopListening = io.onInterrupt(() => {
    state.isStopped = true;
    state.wake?.();
  });
  follow(first);
  io.err.write("waiting for a saved file; Ctrl-C stops\n");
  while (!state.isStopped) {
    if (!state.isDirty) await new Promise<void>((resolve) => (state.wake = resolve));
    if (state.isStopped) break;
    await new Promise<void>((resolve) => io.clock.after(SETTLE_MS, resolve));
    state.isDirty = false;
    follow(await again());
    io.err.write("waiting for a saved file; Ctrl-C stops\n");
  }
  stopListening();
  for (const watcher of watchers.values()) watcher.close();
  return EXIT.fine;
}
