/**
 * Splits texts and search queries into words in the same way, so that every store finds the same runs. A word is a sequence of
 * letters and digits in lower case; all other characters separate words. In scripts without spaces, each character is a word.
 */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|[\p{L}\p{N}\p{M}]/gu;
const ALONE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const HAS_ALONE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const SPACED = /[\p{L}\p{N}\p{M}]+/gu;

const WORD_LENGTH_MAX = 100;
/** Maximum number of words in a search query. */
const ASKED_WORDS_MAX = 20;
const PREFIX_LENGTH_MIN = 2;

/** One word of a search query. */
export interface SearchWord {
  readonly text: string;
  /** Whether any word that begins with this text matches. */
  readonly isPrefix: boolean;
}

export function* wordsOf(text: string): Iterable<string> {
  for (const [stretch] of text.normalize("NFKC").toLowerCase().matchAll(SPACED)) {
    if (!HAS_ALONE.test(stretch)) yield cut(stretch);
    else yield* unspaced(stretch);
  }
}

function* unspaced(stretch: string): Iterable<string> {
  let word = "";
  for (const [piece] of stretch.matchAll(WORD)) {
    if (!ALONE.test(piece)) {
      word += piece;
      continue;
    }
    if (word !== "") yield cut(word);
    word = "";
    yield piece;
  }
  if (word !== "") yield cut(word);
}

function cut(word: string): string {
  // Does not cut inside a surrogate pair.
  return word.length <= WORD_LENGTH_MAX ? word : word.slice(0, WORD_LENGTH_MAX).replace(/\p{Cs}$/u, "");
}

/** Returns the words of a search query without duplicates. A word that ends with `*` matches all words with that prefix. */
export function searchWords(question: string): readonly SearchWord[] {
  const found = new Map<string, SearchWord>();
  for (const part of question.split(/\s+/u)) {
    const words = [...wordsOf(part)];
    words.forEach((text, index) => {
      const isLast = index === words.length - 1;
      const isPrefix = isLast && part.endsWith("*") && text.length >= PREFIX_LENGTH_MIN;
      found.set(`${text}${isPrefix ? "*" : ""}`, { text, isPrefix });
    });
  }
  return [...found.values()].slice(0, ASKED_WORDS_MAX);
}

/** Returns whether all words of the query are present. */
export function hasWords(words: ReadonlySet<string>, asked: readonly SearchWord[]): boolean {
  return asked.every(({ text, isPrefix }) => {
    if (!isPrefix) return words.has(text);
    for (const word of words) if (word.startsWith(text)) return true;
    return false;
  });
}
