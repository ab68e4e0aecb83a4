/** The meaning of one character in a search for words. */
export interface Sign {
  /**
   * `letters`: part of a word. `likeness`: a symbol that may represent a letter, or itself. `joint`: may appear between the
   * letters of one word. `space`: separates words. `nothing`: invisible.
   */
  readonly kind: "letters" | "likeness" | "joint" | "space" | "nothing";
  /** Folded code points; most characters are one letter, `㎏` is two. */
  readonly letters: readonly number[];
  /** Whether the script writes no spaces, so that a word may begin and end at every letter. */
  readonly isAlone: boolean;
}

const NOTHING: Sign = { kind: "nothing", letters: [], isAlone: false };
const SPACE: Sign = { kind: "space", letters: [], isAlone: false };
const JOINT: Sign = { kind: "joint", letters: [], isAlone: false };

/** Digits and symbols that are read as letters, with the letters that each may represent. */
const MEANINGS: readonly (readonly [string, string])[] = [
  ["0", "o"],
  ["1", "il"],
  ["2", "z"],
  ["3", "e"],
  ["4", "a"],
  ["5", "s"],
  ["6", "g"],
  ["7", "t"],
  ["8", "b"],
  ["9", "g"],
  ["@", "a"],
  ["$", "s"],
  ["€", "e"],
  ["!", "il"],
  ["|", "il"],
];

/** Pairs of a letter from another alphabet, or a crossed letter, and the Latin letter that looks the same. */
const TWINS =
  "аa вb еe ѕs іi јj кk мm нh оo рp сc тt уy хx һh ԁd ԛq ԝw ɡg ɑa αa βb εe ιi κk νv οo ρp τt υu χx ηn øo łl đd ħh ŧt";

const codeOf = (text: string): number => text.codePointAt(0) ?? 0;

const TWIN_OF: ReadonlyMap<number, number> = new Map(
  TWINS.split(" ").map((pair) => {
    const [twin, letter] = Array.from(pair);
    return [codeOf(twin ?? ""), codeOf(letter ?? "")];
  }),
);

const MEANT_BY: ReadonlyMap<number, ReadonlySet<number>> = new Map(
  MEANINGS.map(([sign, letters]) => [codeOf(sign), new Set(Array.from(letters).map(codeOf))]),
);

const L = codeOf("l");
const I = codeOf("i");
const DIGIT_ZERO = codeOf("0");
const DIGIT_NINE = codeOf("9");

export function isDigit(letter: number): boolean {
  return letter >= DIGIT_ZERO && letter <= DIGIT_NINE;
}

/** Returns whether the written character may represent the wanted letter. */
export function meansLetter(written: number, wanted: number): boolean {
  return written === wanted || MEANT_BY.get(written)?.has(wanted) === true;
}

/** Returns one code for all letters that can look alike, so that a single lookup follows every reading of a text at once. */
export function familyOf(letter: number): number {
  if (letter === L) return I;
  for (const meant of MEANT_BY.get(letter) ?? []) return meant;
  return letter;
}

/** Not `\s`, which includes the byte order mark. */
const SPACES = /[\t-\r\u0085\p{Z}\u2013-\u2015\u2026]/u;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Cs}\p{Me}]/u;
const MARK = /\p{Mn}/u;
/** Scripts in which a word without its marks is the same word. In other scripts the marks are vowels. */
const SPARE_MARKS =
  /[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]/u;
const KANA = /[\p{scx=Hiragana}\p{scx=Katakana}]/u;
const SPACELESS = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const WORD_PART = /[\p{L}\p{N}\p{M}]/u;
/** A character that expands to more letters than this (a whole phrase) matches no word. */
const LETTERS_PER_CHARACTER_MAX = 4;

/** First code point of each alphabet of framed letters (boxes, circles, flags) without a plain form in Unicode. */
const FRAMED_ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];

/** Reads one character, given as its code point. Pure, so that callers may cache the result. */
export function readSign(code: number): Sign {
  const framed = FRAMED_ALPHABETS.find((first) => code >= first && code < first + 26);
  if (framed !== undefined) return lettersOf([codeOf("a") + code - framed], false);
  const character = String.fromCodePoint(code);
  if (SPACES.test(character)) return SPACE;
  if (isUnseen(character)) return NOTHING;
  const plain = character
    .normalize(KANA.test(character) ? "NFKC" : "NFKD")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase();
  const parts = Array.from(plain)
    .filter((part) => !isUnseen(part))
    .map((part) => TWIN_OF.get(codeOf(part)) ?? codeOf(part));
  if (parts.length === 1 && isLikeness(parts[0] ?? 0)) return { kind: "likeness", letters: parts, isAlone: false };
  const letters = parts.filter((part) => WORD_PART.test(String.fromCodePoint(part)));
  if (letters.length === 0) return JOINT;
  return lettersOf(letters.length > LETTERS_PER_CHARACTER_MAX ? [code] : letters, SPACELESS.test(character));
}

function lettersOf(letters: readonly number[], isAlone: boolean): Sign {
  return { kind: "letters", letters, isAlone };
}

function isUnseen(character: string): boolean {
  if (UNSEEN.test(character)) return true;
  // The mark that changes one kana into another has no script of its own, so kana is tested separately.
  return MARK.test(character) && SPARE_MARKS.test(character) && !KANA.test(character);
}

function isLikeness(code: number): boolean {
  return MEANT_BY.has(code) && !isDigit(code);
}

/** Precomputed signs of ASCII, which is nearly all text. */
export const ASCII_SIGNS: readonly Sign[] = Array.from({ length: 0x80 }, (_, code) => readSign(code));
