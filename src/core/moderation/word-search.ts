import { type Branch, createBranch, type Entry, plant, readEntry, WORD_LETTERS_MAX } from "./dictionary.ts";
import { ASCII_SIGNS, familyOf, isDigit, meansLetter, readSign, type Sign } from "./sign.ts";

export interface WordMatch {
  readonly word: string;
  /** Offsets in the original text; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

export type WordSearch = (text: string) => WordMatch | null;

/**
 * The ways to read symbols that look like letters. No single way is right: the `$` of `$hit` is a letter and the `!` of `oh!`
 * is not, so a text with such symbols is read in each of these ways.
 */
const READINGS = ["never", "before-letters", "money-always"] as const;
type Reading = (typeof READINGS)[number];

const MONEY: ReadonlySet<number> = new Set(["$", "@", "€"].map((sign) => sign.charCodeAt(0)));

export function createWordSearch(words: readonly string[]): WordSearch {
  const root = createBranch();
  for (const word of words) {
    const entry = readEntry(word);
    if (entry !== null) plant(root, entry);
  }
  if (root.next.size === 0) return () => null;
  return (text) => {
    const signs = new Signs();
    const first = search(root, text, signs, "never");
    if (first !== null || !signs.hasLikeness) return first;
    return search(root, text, signs, "before-letters") ?? search(root, text, signs, "money-always");
  };
}

/** Cache of the characters read so far in one text. */
class Signs {
  #known: Map<number, Sign> | null = null;
  hasLikeness = false;
  #row: { reading: Reading; from: number; end: number; answer: boolean } = {
    reading: "never",
    from: 0,
    end: 0,
    answer: false,
  };

  of(code: number): Sign {
    const sign = ASCII_SIGNS[code] ?? this.#known?.get(code) ?? this.#read(code);
    if (sign.kind === "likeness") this.hasLikeness = true;
    return sign;
  }

  /** Returns whether the next visible character, other symbols skipped, is a letter. A whole row of symbols shares one answer. */
  leadsToLetter(text: string, from: number, reading: Reading): boolean {
    if (this.#row.reading === reading && from <= this.#row.end && from > this.#row.from) return this.#row.answer;
    let index = from;
    let answer = false;
    while (index < text.length) {
      const code = text.codePointAt(index) ?? 0;
      const sign = this.of(code);
      answer = sign.kind === "letters" || (reading === "money-always" && isMoney(sign));
      if (answer || (sign.kind !== "nothing" && sign.kind !== "likeness")) break;
      index += code > 0xffff ? 2 : 1;
    }
    this.#row = { reading, from, end: index, answer };
    return answer;
  }

  #read(code: number): Sign {
    const sign = readSign(code);
    this.#known ??= new Map();
    this.#known.set(code, sign);
    return sign;
  }
}

function search(root: Branch, text: string, signs: Signs, reading: Reading): WordMatch | null {
  const trail = new Trail(root);
  let end = 0;
  for (let index = 0; index < text.length;) {
    const code = text.codePointAt(index) ?? 0;
    const next = index + (code > 0xffff ? 2 : 1);
    const sign = signs.of(code);
    const isLetter = sign.kind === "letters" || (sign.kind === "likeness" && isMeant(sign, reading, text, next, signs));
    if (isLetter) {
      // A letter of a script without spaces always has a border before and after it.
      const found = sign.isAlone ? trail.endPiece(end) : null;
      if (found !== null) return found;
      for (const letter of sign.letters) trail.addLetter(letter, index);
      end = next;
    }
    if (!isLetter || sign.isAlone) {
      if (sign.kind !== "nothing") {
        const found = trail.endPiece(end);
        if (found !== null) return found;
      }
      if (sign.kind === "space") trail.addSpace();
    }
    index = next;
  }
  return trail.endPiece(end);
}

/** Returns whether the symbol before `next` represents a letter. */
function isMeant(sign: Sign, reading: Reading, text: string, next: number, signs: Signs): boolean {
  if (reading === "never") return false;
  if (reading === "money-always" && isMoney(sign)) return true;
  return signs.leadsToLetter(text, next, reading);
}

function isMoney({ letters }: Sign): boolean {
  return MONEY.has(letters[0] ?? 0);
}

/** A path in the dictionary that began at a border. It exists as long as some word continues like the text. */
interface Walk {
  branch: Branch;
  readonly start: number;
  count: number;
  /** Number of pieces with more than one letter. */
  longPieces: number;
  /** Numbers of letters after which there was a space. */
  readonly spaces: number[];
}

const RING = WORD_LETTERS_MAX;

/**
 * Follows all words that may be in progress. No word exceeds the limit and each walk began at a different letter, so there are
 * never more walks than letters in a word: the work is linear in the length of the text.
 */
class Trail {
  readonly #root: Branch;
  readonly #ring: number[] = [];
  #walks: Walk[] = [];
  #total = 0;
  #piece = 0;

  constructor(root: Branch) {
    this.#root = root;
  }

  addLetter(letter: number, at: number): void {
    if (this.#piece === 0) this.#walks.push({ branch: this.#root, start: at, count: 0, longPieces: 0, spaces: [] });
    this.#ring[this.#total % RING] = letter;
    this.#total += 1;
    this.#piece += 1;
    if (this.#walks.length === 0) return;
    const family = familyOf(letter);
    let kept = 0;
    for (const walk of this.#walks) {
      const next = walk.branch.next.get(family);
      if (next === undefined) continue;
      walk.branch = next;
      walk.count += 1;
      this.#walks[kept] = walk;
      kept += 1;
    }
    this.#walks.length = kept;
  }

  addSpace(): void {
    for (const walk of this.#walks) if (walk.spaces.at(-1) !== walk.count) walk.spaces.push(walk.count);
  }

  /** Handles a border after a letter: returns a word that ends there. */
  endPiece(end: number): WordMatch | null {
    if (this.#piece === 0) return null;
    const isLong = this.#piece > 1;
    this.#piece = 0;
    for (const walk of this.#walks) {
      if (isLong) walk.longPieces += 1;
      const entry = walk.branch.entries.find((candidate) => this.#isSaid(walk, candidate));
      if (entry !== undefined) return { word: entry.word, start: walk.start, end };
    }
    return null;
  }

  #isSaid(walk: Walk, entry: Entry): boolean {
    const isSpaced = walk.spaces.some((place) => !entry.gaps.has(place));
    // `p e n` is one word with spaces between its letters; `pen is` is two words.
    if (isSpaced && walk.longPieces > 1) return false;
    let hasMore = false;
    let isChanged = false;
    for (const [index, wanted] of entry.letters.entries()) {
      const written = this.#ring[(this.#total - walk.count + index) % RING] ?? 0;
      if (!meansLetter(written, wanted)) return false;
      if (!isDigit(written)) hasMore = true;
      if (written !== wanted) isChanged = true;
    }
    // A number that could also be read as a word stays a number.
    return hasMore || !isChanged;
  }
}
