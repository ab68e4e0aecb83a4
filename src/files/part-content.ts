import type { Hash } from "node:crypto";
import { FileRefusal } from "./file-refusal.ts";

export async function* hashed(content: AsyncIterable<Uint8Array>, hash: Hash) {
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
}

/** Passes on exactly `size` bytes, or throws a refusal. */
export async function* counted(
  content: AsyncIterable<Uint8Array>,
  part: number,
  size: number,
  hash: Hash,
): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.byteLength;
    if (bytes > size) throw partSize(part, size, "more");
    hash.update(piece);
    yield piece;
  }
  if (bytes < size) throw partSize(part, size, `${bytes}`);
}

function partSize(part: number, size: number, got: string): FileRefusal {
  return new FileRefusal(
    "part_size_mismatch",
    `Part ${part} has ${size} bytes by the size of the file, but ${got} came.`,
  );
}
