/** Detects the end of a text that arrives in pieces. */
export interface Extent {
  take(piece: Uint8Array): void;
  isWhole(): boolean;
}

const [QUOTE, BACKSLASH, LINE_FEED] = [0x22, 0x5c, 0x0a];
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** Extent of one JSON object with a known beginning. Complete when every open bracket is closed. */
export class JsonExtent implements Extent {
  readonly #beginning: Uint8Array;
  #length = 0;
  #isForeign = false;
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  constructor(beginning: string) {
    this.#beginning = new TextEncoder().encode(beginning);
  }

  take(piece: Uint8Array): void {
    for (const byte of piece) {
      const expected = this.#beginning[this.#length];
      if (expected !== undefined && byte !== expected) this.#isForeign = true;
      this.#length += 1;
      if (this.#isText) this.#takeText(byte);
      else if (byte === QUOTE) this.#isText = true;
      else if (OPENING.has(byte)) this.#depth += 1;
      else if (CLOSING.has(byte)) this.#depth -= 1;
    }
  }

  isWhole(): boolean {
    const hasBegun = !this.#isForeign && this.#length >= this.#beginning.length;
    return hasBegun && this.#depth === 0 && !this.#isText;
  }

  #takeText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = false;
  }
}

const TAIL_BYTES = 8_192;

/** Extent of an export of the audit log. Complete when it ends with the signed head. */
export class AuditExtent implements Extent {
  #tail = new Uint8Array();

  take(piece: Uint8Array): void {
    const joined = new Uint8Array(this.#tail.length + piece.length);
    joined.set(this.#tail);
    joined.set(piece, this.#tail.length);
    this.#tail = joined.slice(-TAIL_BYTES);
  }

  isWhole(): boolean {
    if (this.#tail.at(-1) !== LINE_FEED) return false;
    const lines = new TextDecoder().decode(this.#tail).trimEnd().split("\n");
    try {
      const last = JSON.parse(lines.at(-1) ?? "") as { readonly kind?: unknown } | null;
      return last?.kind === "head";
    } catch {
      return false;
    }
  }
}
