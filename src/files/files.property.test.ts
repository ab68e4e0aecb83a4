import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../store/index.ts";
import { Files } from "./files.ts";
import { createMemoryObjects } from "./object-store.ts";
import { PartedContent, rechunk } from "./pieces.ts";
import { CHUNK_BYTES, sealedSize, SealedObjects } from "./sealed-objects.ts";

async function gather(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(Uint8Array.from(piece));
  return Buffer.concat(pieces);
}

/** The same bytes in pieces that have nothing to do with any border. */
async function* split(bytes: Uint8Array, sizes: readonly number[]): AsyncIterable<Uint8Array> {
  for (let at = 0, index = 0; at < bytes.byteLength; index += 1) {
    const size = Math.max(1, sizes[index % Math.max(1, sizes.length)] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

function bytesOf(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 1) bytes[at] = (at * 31 + (at >> 8)) & 0xff;
  return bytes;
}

const sizes = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 });
/** Around the borders of chunks, where mistakes are. */
const length = fc.oneof(
  fc.integer({ min: 1, max: 4 * CHUNK_BYTES }),
  fc.constantFrom(1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, 3 * CHUNK_BYTES - 1),
);
const runs = { numRuns: 60 };

describe("pieces", () => {
  it("keep every byte in order, whatever their borders were", async () => {
    await fc.assert(
      fc.asyncProperty(length, sizes, fc.integer({ min: 1, max: 70_000 }), async (size, cuts, chunk) => {
        const bytes = bytesOf(size);
        const seen: number[] = [];
        const noted = async function* (): AsyncIterable<Uint8Array> {
          for await (const piece of rechunk(split(bytes, cuts), chunk)) {
            seen.push(piece.byteLength);
            yield piece;
          }
        };
        expect((await gather(noted())).equals(bytes)).toBe(true);
        expect(seen.slice(0, -1).every((one) => one === chunk)).toBe(true);
      }),
      runs,
    );
  });

  it("are parted exactly, and know when there are more", async () => {
    await fc.assert(
      fc.asyncProperty(length, sizes, fc.integer({ min: 1, max: 90_000 }), async (size, cuts, part) => {
        const bytes = bytesOf(size);
        const parted = new PartedContent(split(bytes, cuts));
        const parts: Buffer[] = [];
        while (await parted.hasMore()) parts.push(await gather(parted.take(part)));
        expect(Buffer.concat(parts).equals(bytes)).toBe(true);
        expect(parts.length).toBe(Math.ceil(size / part));
      }),
      runs,
    );
  });
});

describe("sealed objects", () => {
  it("give any range of what was put, and nothing of it in plain", async () => {
    await fc.assert(
      fc.asyncProperty(
        length,
        sizes,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (size, cuts, start, extent) => {
          const objects = createMemoryObjects();
          const sealed = new SealedObjects(objects, "secret");
          const bytes = bytesOf(size);
          await sealed.put("sealed/a/1-x", size, split(bytes, cuts));
          const from = Math.min(size - 1, Math.floor(start * size));
          const count = Math.max(1, Math.floor(extent * (size - from)));
          const read = await gather(sealed.read("sealed/a/1-x", size, from, count));
          expect(read.equals(bytes.subarray(from, from + count))).toBe(true);
          const kept = await gather(objects.read("sealed/a/1-x", 0, sealedSize(size)));
          expect(kept.byteLength).toBe(sealedSize(size));
          if (size > 64) expect(kept.includes(Buffer.from(bytes.subarray(0, 64)))).toBe(false);
        },
      ),
      runs,
    );
  });

  it("are read with the key before, from any place in them", async () => {
    const size = 3 * CHUNK_BYTES + 5;
    const objects = createMemoryObjects();
    await new SealedObjects(objects, "old").put("a", size, split(bytesOf(size), [50_000]));
    const later = new SealedObjects(objects, "new", ["older", "old"]);
    const expected = Buffer.from(bytesOf(size));
    expect((await gather(later.read("a", size, 0, size))).equals(expected)).toBe(true);
    const from = CHUNK_BYTES - 3;
    expect((await gather(later.read("a", size, from, 10))).equals(expected.subarray(from, from + 10))).toBe(true);
    const without = new SealedObjects(objects, "new", ["older"]);
    await expect(gather(without.read("a", size, 0, size))).rejects.toThrow("SLUICE_SECRET_KEY");
  });

  it("notice every changed byte, a cut, an exchange of chunks, another key and another place", async () => {
    const size = 3 * CHUNK_BYTES;
    const objects = createMemoryObjects();
    const sealed = new SealedObjects(objects, "secret");
    await sealed.put("a", size, split(bytesOf(size), [50_000]));
    const whole = await gather(objects.read("a", 0, sealedSize(size)));
    const chunk = CHUNK_BYTES + 16;
    const flipped = Buffer.from(whole);
    flipped[chunk + 5] = (flipped[chunk + 5] ?? 0) ^ 1;
    const exchanged = Buffer.concat([
      whole.subarray(chunk, 2 * chunk),
      whole.subarray(0, chunk),
      whole.subarray(2 * chunk),
    ]);
    for (const [key, kept, secret, length] of [
      ["a", flipped, "secret", size],
      ["a", exchanged, "secret", size],
      ["a", whole, "other", size],
      ["b", whole, "secret", size],
      // Cut off after two chunks, and said to be as long as that.
      ["a", whole.subarray(0, 2 * chunk), "secret", 2 * CHUNK_BYTES],
    ] as const) {
      const changed = createMemoryObjects();
      await changed.put(key, kept.byteLength, split(kept, [kept.byteLength]));
      await expect(gather(new SealedObjects(changed, secret).read(key, length, 0, length))).rejects.toThrow(
        /cannot be decrypted/,
      );
    }
  });
});

describe("uploads", () => {
  it("give the same file whatever order, repetition and cuts of the parts", async () => {
    const size = 2 * 8_388_608 + 12_345;
    const bytes = bytesOf(size);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const order = fc.array(fc.constantFrom(1, 2, 3), { minLength: 3, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        order,
        sizes,
        fc.boolean(),
        fc.integer({ min: 0, max: size - 1 }),
        async (sent, cuts, isSealed, from) => {
          const store = createMemoryStore();
          const files = new Files({
            store,
            objects: createMemoryObjects(),
            secretKey: isSealed ? "s" : null,
            now: Date.now,
          });
          const upload = await files.begin("org_1", "key_1", { name: "a.bin", mime: "a/b", size, sha256 });
          if (!("id" in upload)) throw new Error("nothing is there yet");
          const parts = [...sent, 1, 2, 3].filter(
            (part, at, all) => at < sent.length || !all.slice(0, sent.length).includes(part),
          );
          for (const part of parts) {
            const at = (part - 1) * 8_388_608;
            await files.putPart("org_1", upload.id, part, split(bytes.subarray(at, at + 8_388_608), cuts));
          }
          expect(await files.complete("org_1", upload.id)).toEqual({ name: "a.bin", mime: "a/b", size, sha256 });
          const record = await store.getFile("org_1", sha256);
          if (record === undefined) throw new Error("it was not kept");
          const read = await gather(files.read(record, from, 70_000));
          expect(read.equals(bytes.subarray(from, from + 70_000))).toBe(true);
        },
      ),
      { numRuns: 6 },
    );
  });
});
