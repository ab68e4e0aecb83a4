import { createReadStream } from "node:fs";
import { copyFile, open, rename, rm, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { makeFolder, type ObjectStore, syncFolder } from "../files/index.ts";

/** A place that stores packets by name. */
export interface ArchivePlace {
  /** Stores a packet, replacing an earlier one. It gets its name only when all of it is written, and survives a power failure after that. */
  put(name: string, file: string): Promise<void>;
  read(name: string, size: number): AsyncIterable<Uint8Array>;
}

/** Thrown when a retention names a place that cannot be used. The message contains what the operator has to do. */
export class NoSuchPlace extends Error {
  override readonly name = "NoSuchPlace";
}

export interface ArchivePlacesOptions {
  /** Base folder of archives. A relative name is a folder inside it. */
  readonly root: string;
  /** Whether absolute paths outside the base folder are allowed. */
  readonly isAnywhere: boolean;
  /** The bucket for files; null when files are not stored in a bucket. */
  readonly bucket: ObjectStore | null;
}

export const BUCKET = "s3";

/** Finds the archive place that a retention names. */
export class ArchivePlaces {
  readonly #options: ArchivePlacesOptions;

  constructor(options: ArchivePlacesOptions) {
    this.#options = options;
  }

  find(archive: string): ArchivePlace {
    const { root, isAnywhere, bucket } = this.#options;
    if (archive === BUCKET) {
      if (bucket !== null) return bucketPlace(bucket);
      throw new NoSuchPlace("archive: s3 needs a bucket: set SLUICE_FILES_S3_URL and what belongs to it");
    }
    const folder = isAbsolute(archive) ? archive : resolve(root, archive);
    if (isAnywhere || !relative(root, folder).startsWith("..")) return folderPlace(folder);
    throw new NoSuchPlace(
      `archive: ${archive} is not in ${root}: name a folder in there, or start the server with --archives set to another one`,
    );
  }
}

function folderPlace(folder: string): ArchivePlace {
  return {
    put: async (name, file) => {
      await makeFolder(folder);
      const path = join(folder, name);
      const part = `${path}.part`;
      try {
        await copyFile(file, part);
        const handle = await open(part, "r+");
        await handle.datasync().finally(() => handle.close());
        await rename(part, path);
      } catch (thrown) {
        await rm(part, { force: true });
        throw thrown;
      }
      // The runs are deleted next, and then this file is the only copy.
      await syncFolder(folder);
    },
    read: (name) => createReadStream(join(folder, name)) as AsyncIterable<Uint8Array>,
  };
}

/** Returns the object key for a name. Keys may only contain lower-case letters, digits and hyphens. */
function keyOf(name: string): string {
  return `archive/${name.toLowerCase().replaceAll(/[^a-z0-9]/g, "-")}`;
}

function bucketPlace(objects: ObjectStore): ArchivePlace {
  return {
    put: async (name, file) => {
      const { size } = await stat(file);
      await objects.put(keyOf(name), size, createReadStream(file) as AsyncIterable<Uint8Array>);
    },
    read: (name, size) => objects.read(keyOf(name), 0, size),
  };
}
