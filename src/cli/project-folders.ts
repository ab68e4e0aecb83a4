import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders that contain no files written by the author. */
const FOREIGN: ReadonlySet<string> = new Set(["node_modules", "dist", "build", "coverage"]);
/** Maximum number of folders. Each folder needs a watcher of the operating system. */
const FOLDERS_MAX = 1_000;

export function isForeignFolder(name: string): boolean {
  return FOREIGN.has(name) || name.startsWith(".");
}

/** Checks whether a file is one that a person edits, as opposed to one that a program writes beside it. */
export function isProjectFile(name: string): boolean {
  return /\.(?:[cm]?[jt]sx?|lobsterX|ya?ml|json)$/.test(name);
}

/** Returns a project folder and all folders below it where authors write. Any file there may be imported by another. */
export function projectFolders(root: string): readonly string[] {
  const found = [root];
  for (const folder of found) {
    for (const entry of entriesOf(folder)) {
      if (found.length >= FOLDERS_MAX) return found;
      if (entry.isDirectory() && !isForeignFolder(entry.name)) found.push(join(folder, entry.name));
    }
  }
  return found;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // The folder was removed in the meantime, or cannot be read.
    return [];
  }
}
