import { familyOf, readSign } from "./sign.ts";

/** A word in the form used for searching. */
export interface Entry {
  readonly word: string;
  readonly letters: readonly number[];
  /** Positions (numbers of letters) after which the word itself contains a gap. */
  readonly gaps: ReadonlySet<number>;
}

/** A branch of the letter tree over all words; letters that look alike share a branch. */
export interface Branch {
  readonly next: Map<number, Branch>;
  readonly entries: Entry[];
}

/** Longer than any real word. The limit bounds the work per letter of a text. */
export const WORD_LETTERS_MAX = 64;

export function createBranch(): Branch {
  return { next: new Map(), entries: [] };
}

/** Converts a word to letters. Null when it has none, or more than the limit. */
export function readEntry(word: string): Entry | null {
  const letters: number[] = [];
  const gaps = new Set<number>();
  for (const character of word) {
    const sign = readSign(character.codePointAt(0) ?? 0);
    if (sign.kind === "space" || sign.kind === "joint") gaps.add(letters.length);
    letters.push(...sign.letters);
  }
  if (letters.length === 0 || letters.length > WORD_LETTERS_MAX) return null;
  return { word, letters, gaps };
}

export function plant(root: Branch, entry: Entry): void {
  let branch = root;
  for (const letter of entry.letters) {
    const family = familyOf(letter);
    let next = branch.next.get(family);
    if (next === undefined) branch.next.set(family, (next = createBranch()));
    branch = next;
  }
  branch.entries.push(entry);
}
