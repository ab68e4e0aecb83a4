/** Yields the same bytes in pieces of exactly `size` bytes; the last may be shorter. */
export async function* rechunk(content: AsyncIterable<Uint8Array>, size: number): AsyncIterable<Uint8Array> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const piece of content) {
    let at = 0;
    while (heldBytes + piece.byteLength - at >= size) {
      const end = at + size - heldBytes;
      const taken = piece.subarray(at, end);
      yield held.length === 0 ? taken : Buffer.concat([...held, taken], size);
      held = [];
      heldBytes = 0;
      at = end;
    }
    if (at < piece.byteLength) {
      held.push(piece.subarray(at));
      heldBytes += piece.byteLength - at;
    }
  }
  if (heldBytes > 0) yield Buffer.concat(held, heldBytes);
}

/**
 * Splits content into consecutive parts. Each part must be read to its end before the next is taken. The source is
 * closed when reading stops early.
 */
export class PartedContent {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#source = content[Symbol.asyncIterator]();
  }

  /** Yields the next `bytes` bytes, or fewer when the content ends. */
  async *take(bytes: number): AsyncIterable<Uint8Array> {
    let left = bytes;
    while (left > 0) {
      const piece = await this.#next();
      if (piece === undefined) return;
      const taken = piece.subarray(0, left);
      this.#rest = piece.subarray(taken.byteLength);
      left -= taken.byteLength;
      yield taken;
    }
  }

  async hasMore(): Promise<boolean> {
    const piece = await this.#next();
    this.#rest = piece ?? this.#rest;
    return piece !== undefined;
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #next(): Promise<Uint8Array | undefined> {
    while (this.#rest.byteLength === 0) {
      const { done, value } = await this.#source.next();
      if (done === true) return undefined;
      this.#rest = value;
    }
    const piece = this.#rest;
    this.#rest = new Uint8Array();
    return piece;
  }
}
