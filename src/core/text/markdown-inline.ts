/** A run of text within a block. */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis"; readonly parts: readonly Inline[] }
  /** The address is shown beside the text, because a link may lead elsewhere than its text claims. */
  | { readonly kind: "link"; readonly text: string; readonly address: string }
  | { readonly kind: "image"; readonly text: string; readonly address: string };

const DEPTH_MAX = 4;
const DELIMITERS = [
  { open: "**", kind: "strong" },
  { open: "__", kind: "strong" },
  { open: "*", kind: "emphasis" },
  { open: "_", kind: "emphasis" },
] as const;

/** Reads from left to right, and searches no part of the text twice for the same delimiter, so that a malicious text does not cost more. */
export function inlinesOf(text: string, depth = 0): readonly Inline[] {
  return new InlineReader(text, depth).read();
}

class InlineReader {
  readonly #text: string;
  readonly #depth: number;
  readonly #found: Inline[] = [];
  /** For each word, where it was looked for last, and where it was found. */
  readonly #searches = new Map<string, { readonly from: number; readonly found: number }>();
  #plain = "";
  #at = 0;

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  read(): readonly Inline[] {
    while (this.#at < this.#text.length) {
      if (!this.#escape() && !this.#code() && !this.#link() && !this.#emphasis()) {
        this.#plain += this.#text.charAt(this.#at);
        this.#at += 1;
      }
    }
    this.#flush();
    return this.#found;
  }

  #flush(): void {
    if (this.#plain !== "") this.#found.push({ kind: "text", text: this.#plain });
    this.#plain = "";
  }

  #take(inline: Inline, next: number): true {
    this.#flush();
    this.#found.push(inline);
    this.#at = next;
    return true;
  }

  #starts(word: string): boolean {
    return this.#text.startsWith(word, this.#at);
  }

  /** Returns the next position of a word, -1 when there is none. What an earlier search has passed is not searched again. */
  #find(word: string, from: number): number {
    const last = this.#searches.get(word);
    if (last !== undefined && last.from <= from && (last.found === -1 || from <= last.found)) return last.found;
    const found = this.#text.indexOf(word, from);
    this.#searches.set(word, { from, found });
    return found;
  }

  #escape(): boolean {
    if (!this.#starts("\\") || !/[!-/:-@[-`{-~]/.test(this.#text.charAt(this.#at + 1))) return false;
    this.#plain += this.#text.charAt(this.#at + 1);
    this.#at += 2;
    return true;
  }

  #code(): boolean {
    if (!this.#starts("`")) return false;
    let from = this.#at + 1;
    while (this.#text[from] === "`") from += 1;
    const mark = this.#text.slice(this.#at, from);
    const end = this.#find(mark, from);
    if (end !== -1) return this.#take({ kind: "code", text: this.#text.slice(from, end) }, end + mark.length);
    this.#plain += mark;
    this.#at = from;
    return true;
  }

  #link(): boolean {
    const isImage = this.#starts("![");
    if (!isImage && !this.#starts("[")) return false;
    const from = this.#at + (isImage ? 2 : 1);
    const middle = this.#find("](", from);
    const end = middle === -1 ? -1 : this.#find(")", middle + 2);
    if (end === -1 || this.#text.slice(from, middle).includes("[")) return false;
    const text = this.#text.slice(from, middle);
    const address = this.#text.slice(middle + 2, end).trim();
    return this.#take({ kind: isImage ? "image" : "link", text, address }, end + 1);
  }

  #emphasis(): boolean {
    const delimiter = DELIMITERS.find(({ open }) => this.#starts(open));
    if (delimiter === undefined || this.#depth >= DEPTH_MAX) return false;
    const { open, kind } = delimiter;
    const from = this.#at + open.length;
    const isWord = open.startsWith("_") && /\w/.test(this.#text.charAt(this.#at - 1));
    if (isWord || /\s|^$/.test(this.#text.charAt(from))) return false;
    const end = this.#find(open, from + 1);
    if (end === -1 || /\s/.test(this.#text.charAt(end - 1))) return false;
    const parts = inlinesOf(this.#text.slice(from, end), this.#depth + 1);
    return this.#take({ kind, parts }, end + open.length);
  }
}
