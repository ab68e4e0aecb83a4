import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Makes a folder and the folders above it that do not exist, so that they survive a power failure. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const { length } = resolve(first);
  for (let folder = resolve(path); folder.length >= length; folder = dirname(folder)) await syncFolder(dirname(folder));
}

/** Syncs a folder, so that a new name in it survives a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
