const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN: ReadonlySet<number | undefined> = new Set([0x7b, 0x5b]);
const CLOSE: ReadonlySet<number | undefined> = new Set([0x7d, 0x5d]);
const NAMES: ReadonlySet<string> = new Set(["dispatchId", "dispatch_id", "taskId", "task_id"]);
/** Longer texts cannot be ids and are not stored. */
const TEXT_BYTES_MAX = 1_000;

/**
 * Finds the dispatch id in a body that is too large to be read. It scans the bytes as they arrive, stores only short
 * texts of the outermost object, and accepts invalid JSON after the id.
 */
export class DispatchFinder {
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #text: number[] = [];
  #last = "";
  #key = "";
  #found: string | null = null;

  /** Null while no id was found. */
  get dispatchId(): string | null {
    return this.#found;
  }

  take(piece: Uint8Array): void {
    for (let at = 0; at < piece.length && this.#found === null; at += 1) this.#step(piece[at] ?? 0);
  }

  #step(byte: number): void {
    if (this.#isText) return this.#inText(byte);
    if (byte === QUOTE) {
      this.#isText = true;
      this.#text = [];
    } else if (byte === COLON) {
      if (this.#depth === 1) this.#key = this.#last;
    } else if (OPEN.has(byte)) this.#depth += 1;
    else if (CLOSE.has(byte)) this.#depth -= 1;
    else if (byte === 0x2c) this.#key = "";
  }

  #inText(byte: number): void {
    if (byte === QUOTE && !this.#isEscaped) return this.#endText();
    this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
    if (this.#depth === 1 && this.#text.length < TEXT_BYTES_MAX) this.#text.push(byte);
  }

  #endText(): void {
    this.#isText = false;
    if (this.#depth !== 1) return;
    this.#last = textOf(this.#text);
    if (NAMES.has(this.#key)) this.#found = this.#last;
  }
}

function textOf(bytes: readonly number[]): string {
  const written = Buffer.from(bytes).toString("utf8");
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return written;
  }
}
