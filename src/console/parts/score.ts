/** Scores how well a text matches typed letters in order, higher at starts of words and for adjacent letters. Null without a match. */
export function scoreOf(text: string, typed: string): number | null {
  const wanted = typed.toLowerCase();
  const given = text.toLowerCase();
  let at = 0;
  let score = 0;
  let last = -2;
  for (const letter of wanted) {
    if (letter === " ") continue;
    const found = given.indexOf(letter, at);
    if (found === -1) return null;
    const isStart = found === 0 || /[\s/_.:-]/.test(given.charAt(found - 1));
    score += (found === last + 1 ? 3 : 0) + (isStart ? 2 : 0) + 1;
    last = found;
    at = found + 1;
  }
  return score - given.length / 100;
}

/** Returns the best matches first. Equal matches keep their order. */
export function best<T>(items: readonly T[], typed: string, textOf: (item: T) => string, count: number): readonly T[] {
  if (typed.trim() === "") return items.slice(0, count);
  return items
    .map((item) => ({ item, score: scoreOf(textOf(item), typed) }))
    .filter((each): each is { item: T; score: number } => each.score !== null)
    .sort((left, right) => right.score - left.score)
    .slice(0, count)
    .map(({ item }) => item);
}
