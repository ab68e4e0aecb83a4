import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { rechunk } from "./pieces.ts";
import { type ObjectStore, ObjectsUnavailable } from "./object-store.ts";

/** Size of a chunk. Ranges are decrypted chunk by chunk, so that only one is in memory. */
export const CHUNK_BYTES = 65_536;
const TAG_BYTES = 16;
const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;
const PURPOSE = "sluice file v1";

/**
 * Encrypts the content of another object store: AES-256-GCM in chunks of 64 KiB. Each object has its own key, derived
 * from the secret and the object's key, which is never reused. The nonce is the chunk number plus a mark on the last
 * chunk, so that swapped, repeated or missing chunks are detected.
 */
export class SealedObjects {
  readonly #objects: ObjectStore;
  readonly #secret: string;
  /** Earlier secrets, which still decrypt objects sealed with them. */
  readonly #former: readonly string[];

  constructor(objects: ObjectStore, secret: string, former: readonly string[] = []) {
    this.#objects = objects;
    this.#secret = secret;
    this.#former = former;
  }

  async put(key: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#objects.put(key, sealedSize(size), this.#seal(key, size, content));
  }

  /** `size`: the size of the whole object, unsealed. */
  async *read(key: string, size: number, from: number, length: number): AsyncIterable<Uint8Array> {
    if (length === 0) return;
    const first = Math.floor(from / CHUNK_BYTES);
    const last = Math.floor((from + length - 1) / CHUNK_BYTES);
    const start = first * SEALED_CHUNK_BYTES;
    const end = Math.min((last + 1) * SEALED_CHUNK_BYTES, sealedSize(size));
    const keys = [this.#secret, ...this.#former].map((secret) => keyOf(secret, key));
    let chunk = first;
    for await (const sealed of rechunk(this.#objects.read(key, start, end - start), SEALED_CHUNK_BYTES)) {
      const plain = unsealWith(keys, chunk, isLast(chunk, size), sealed);
      if (plain === undefined)
        throw new ObjectsUnavailable(`${key} cannot be decrypted: SLUICE_SECRET_KEY is another one`);
      const skipped = chunk * CHUNK_BYTES;
      yield plain.subarray(Math.max(0, from - skipped), Math.min(plain.byteLength, from + length - skipped));
      chunk += 1;
    }
  }

  async *#seal(key: string, size: number, content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const secret = keyOf(this.#secret, key);
    let chunk = 0;
    for await (const plain of rechunk(content, CHUNK_BYTES)) {
      const cipher = createCipheriv("aes-256-gcm", secret, nonceOf(chunk, isLast(chunk, size)));
      yield Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      chunk += 1;
    }
  }
}

function keyOf(secret: string, key: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, key, PURPOSE, 32));
}

/** Decrypts a chunk. The key that fits moves to the front, for the chunks after it. */
function unsealWith(keys: Uint8Array[], chunk: number, isTheLast: boolean, sealed: Uint8Array): Uint8Array | undefined {
  for (const [index, key] of keys.entries()) {
    const plain = unseal(key, chunk, isTheLast, sealed);
    if (plain === undefined) continue;
    if (index > 0) keys.unshift(...keys.splice(index, 1));
    return plain;
  }
  return undefined;
}

export function sealedSize(size: number): number {
  return size + Math.ceil(size / CHUNK_BYTES) * TAG_BYTES;
}

function isLast(chunk: number, size: number): boolean {
  return (chunk + 1) * CHUNK_BYTES >= size;
}

function nonceOf(chunk: number, isTheLast: boolean): Uint8Array {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(chunk, 7);
  nonce.writeUInt8(isTheLast ? 1 : 0, 11);
  return nonce;
}

function unseal(secret: Uint8Array, chunk: number, isTheLast: boolean, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.byteLength <= TAG_BYTES) return undefined;
  const body = sealed.subarray(0, -TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", secret, nonceOf(chunk, isTheLast), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    return undefined;
  }
}
