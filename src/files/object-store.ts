/**
 * Where bytes are kept, by key (`place/object`: lower-case letters, digits, `-`, and one `/`). Nothing here knows what
 * they are.
 */
export interface ObjectStore {
  /** All of it or nothing; `size` is what the content must have. */
  put(key: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** So many bytes from an offset on. Throws `ObjectsUnavailable` when they are not there. */
  read(key: string, from: number, length: number): AsyncIterable<Uint8Array>;
  /** An object, or everything at a place; what is not there is removed already. */
  remove(keyOrPlace: string): Promise<void>;
  close(): void;
}

/** The bytes cannot be kept or read now: a disk that is full, a service that is away, content that is gone. */
export class ObjectsUnavailable extends Error {
  override readonly name = "ObjectsUnavailable";
}

/** Keeps everything in this process; for servers whose database is in memory too. */
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
