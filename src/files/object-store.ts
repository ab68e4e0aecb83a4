/**
 * Stores bytes by key (`place/object`: lower-case letters, digits, `-`, and one `/`), independent of what they contain.
 */
export interface ObjectStore {
  /** Writes all of the content or nothing. `size` is the exact size of the content. */
  put(key: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Reads `length` bytes from an offset. Throws `ObjectsUnavailable` when they do not exist. */
  read(key: string, from: number, length: number): AsyncIterable<Uint8Array>;
  /** Removes an object, or everything at a place. Removing a missing object succeeds. */
  remove(keyOrPlace: string): Promise<void>;
  close(): void;
}

/** Thrown when bytes cannot be stored or read now: a full disk, an unavailable service, missing content. */
export class ObjectsUnavailable extends Error {
  override readonly name = "ObjectsUnavailable";
}

/** Keeps objects in the memory of this process, for servers whose database is in memory too. */
export function createMemoryObjects(): ObjectStore {
  const objects = new Map<string, Uint8Array>();
  return {
    put: async (key, size, content) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(Uint8Array.from(piece));
      const bytes = Buffer.concat(pieces);
      if (bytes.byteLength !== size) throw new ObjectsUnavailable(`${key} has ${bytes.byteLength} bytes, not ${size}`);
      objects.set(key, bytes);
    },
    async *read(key, from, length) {
      const bytes = objects.get(key);
      if (bytes === undefined) throw new ObjectsUnavailable(`${key} is not there`);
      yield bytes.subarray(from, from + length);
    },
    remove: async (keyOrPlace) => {
      for (const key of objects.keys()) if (key === keyOrPlace || key.startsWith(`${keyOrPlace}/`)) objects.delete(key);
    },
    close: () => undefined,
  };
}
