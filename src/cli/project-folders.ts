import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders that hold nothing an author wrote. */
const FOREIGN: ReadonlySet<string> = new Set(["node_modules", "dist", "build", "coverage"]);
/** Each is a watcher of the operating system. */
const FOLDERS_MAX = 1_000;

export function isForeignFolder(name: string): boolean {
  return FOREIGN.has(name) || name.startsWith(".");
}

/** A file that a person edits, and not one that a program writes beside it. */
export function isProjectFile(name: string): boolean {
  return /\.(?:[cm]?[jt]sx?|lobsterX|ya?ml|json)$/.test(name);
}

/** A folder of a project and all below it that its authors write in: any file there may be imported by another. */
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
    // Removed since, or not readable.
    return [];
  }
}
