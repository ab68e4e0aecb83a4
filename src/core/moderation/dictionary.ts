import { familyOf, readSign } from "./sign.ts";

/** A word as it is looked for. */
export interface Entry {
  readonly word: string;
  readonly letters: readonly number[];
  /** Numbers of letters after which the author himself left a gap. */
  readonly gaps: ReadonlySet<number>;
}

/** One letter further in some word; letters that look alike share a branch. */
export interface Branch {
  readonly next: Map<number, Branch>;
  readonly entries: Entry[];
}

/** Longer than any word; it bounds the work per letter of a text. */
export const WORD_LETTERS_MAX = 64;

export function createBranch(): Branch {
  return { next: new Map(), entries: [] };
}

/** The word in letters; null when it has none, or more than can be looked for. */
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
