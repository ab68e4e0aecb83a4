import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder, syncFolder } from "./folder-sync.ts";
import { type ObjectStore, ObjectsUnavailable } from "./object-store.ts";

const READ_BYTES = 65_536;

/**
 * Stores objects as files in a folder, which several replicas may share. A file gets its final name only when all of it
 * is on disk.
 */
export function createFolderObjects(root: string): ObjectStore {
  const pathOf = (key: string): string => join(root, ...key.split("/"));
  return {
    put: (key, size, content) =>
      explained(key, async () => {
        const path = pathOf(key);
        await makeFolder(dirname(path));
        const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
        try {
          await writeAll(temporary, size, content);
          await rename(temporary, path);
        } catch (thrown) {
          await rm(temporary, { force: true });
          throw thrown;
        }
        await syncFolder(dirname(path));
      }),
    async *read(key, from, length) {
      const handle = await explained(key, () => open(pathOf(key), "r"));
      try {
        for (let at = from; at < from + length;) {
          const wanted = Math.min(READ_BYTES, from + length - at);
          const { bytesRead, buffer } = await explained(key, () =>
            handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at),
          );
          if (bytesRead === 0) throw new ObjectsUnavailable(`${key} ends at byte ${at}`);
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      } finally {
        await handle.close();
      }
    },
    remove: (keyOrPlace) => explained(keyOrPlace, () => rm(pathOf(keyOrPlace), { recursive: true, force: true })),
    close: () => undefined,
  };
}

async function writeAll(path: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    const written = await pour(handle, content);
    if (written !== size) throw new ObjectsUnavailable(`${written} bytes came where ${size} were to be written`);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function pour(handle: FileHandle, content: AsyncIterable<Uint8Array>): Promise<number> {
  let written = 0;
  for await (const piece of content) {
    for (let at = 0; at < piece.byteLength;) {
      const { bytesWritten } = await handle.write(piece, at, piece.byteLength - at, written);
      at += bytesWritten;
      written += bytesWritten;
    }
  }
  return written;
}

/** Converts errors of the operating system to `ObjectsUnavailable`. Other errors come from the content and are rethrown. */
async function explained<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const isOfSystem = thrown instanceof Error && "code" in thrown && "syscall" in thrown;
    throw isOfSystem ? new ObjectsUnavailable(`${key}: ${String(thrown.code)}`, { cause: thrown }) : thrown;
  }
}
