import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, join } from "node:path";
import { isForeignFolder, isProjectFile } from "./project-folders.ts";

/** Notices saved files and new folders in the folders of a project. */
export class WatchedFolders {
  readonly #onSave: (name: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();

  constructor(onSave: (name: string) => void) {
    this.#onSave = onSave;
  }

  /** Adds folders. One that is not there is left out until it is named again. */
  follow(folders: Iterable<string>): void {
    for (const folder of folders) {
      if (this.#watchers.has(folder) || !exists(folder)) continue;
      const watcher = watch(folder, (event, name) => this.#take(folder, event, name ?? ""));
      watcher.on("error", () => this.#drop(folder));
      this.#watchers.set(folder, watcher);
    }
  }

  close(): void {
    for (const folder of this.#watchers.keys()) this.#drop(folder);
  }

  #take(folder: string, event: string, name: string): void {
    // A removed folder reports its own name, and its watcher stays silent afterwards, also when the folder comes back.
    const isGone = event === "rename" && name === basename(folder);
    if (isGone) this.#drop(folder);
    const isFolder = event === "rename" && !isForeignFolder(name) && isDirectory(join(folder, name));
    if (isGone || isFolder || isProjectFile(name)) this.#onSave(name);
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
