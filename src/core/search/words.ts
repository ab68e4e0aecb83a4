/**
 * Words of texts and of questions, split in one way, so that every store finds the same. A word is a run of letters and
 * digits, in small letters; everything else is between words. Scripts that are written without spaces give a word for
 * each character.
 */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|[\p{L}\p{N}\p{M}]/gu;
const ALONE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const HAS_ALONE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const SPACED = /[\p{L}\p{N}\p{M}]+/gu;

const WORD_LENGTH_MAX = 100;
/** The longest question. */
const ASKED_WORDS_MAX = 20;
const PREFIX_LENGTH_MIN = 2;

/** One word of a question. */
export interface SearchWord {
  readonly text: string;
  /** Any word that begins with it will do. */
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
  // Never in the middle of a character.
  return word.length <= WORD_LENGTH_MAX ? word : word.slice(0, WORD_LENGTH_MAX).replace(/\p{Cs}$/u, "");
}

/** The words of a question, each once; one that ends with `*` stands for all that begin so. */
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

/** All of them are there. */
export function hasWords(words: ReadonlySet<string>, asked: readonly SearchWord[]): boolean {
  return asked.every(({ text, isPrefix }) => {
    if (!isPrefix) return words.has(text);
    for (const word of words) if (word.startsWith(text)) return true;
    return false;
  });
}
