import { compareCodeUnits } from "./json.ts";

const WORD_LENGTH_MAX = 128;
const SHORT_WORD = 4;
const FIRST_WORD_MIN = 4;

/** Returns the known word that an author most likely meant, or undefined. Deterministic for the same words. */
export function suggest(word: string, words: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > WORD_LENGTH_MAX) return undefined;
  const wanted = word.toLowerCase();
  // Any letter is one change away from any other letter, so a suggestion for a single letter would not help.
  const limit = wanted.length === 1 ? 0 : wanted.length <= SHORT_WORD ? 1 : 2;
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of words) {
    const distance = editDistance(wanted, candidate.toLowerCase(), limit);
    const isNearer = distance < bestDistance;
    const isTieWon = distance === bestDistance && best !== undefined && compareCodeUnits(candidate, best) < 0;
    if (!isNearer && !isTieWon) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Returns a suggestion as the text of a hint. */
export function didYouMean(word: string, words: Iterable<string>): string | undefined {
  const known = [...words];
  const found = suggest(word, known) ?? suggestByWord(word, known);
  return found === undefined ? undefined : `Did you mean "${found}"?`;
}

/** Returns the only known name that begins with the same word: `estimated_cost` for `estimatedUsd`. */
function suggestByWord(word: string, words: readonly string[]): string | undefined {
  const first = firstWord(word);
  if (first.length < FIRST_WORD_MIN) return undefined;
  const alike = words.filter((candidate) => firstWord(candidate) === first);
  return alike.length === 1 ? alike[0] : undefined;
}

function firstWord(name: string): string {
  return (/^[A-Za-z][a-z0-9]*/.exec(name)?.[0] ?? "").toLowerCase();
}

/** Counts insertions, deletions, replacements and swaps of neighbours. Returns `limit + 1` for any distance above the limit. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    let rowMin = row;
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      let cost = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
      );
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwap) cost = Math.min(cost, at(beforePrevious, column - 2) + 1);
      current.push(cost);
      rowMin = Math.min(rowMin, cost);
    }
    if (rowMin > limit) return limit + 1;
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
