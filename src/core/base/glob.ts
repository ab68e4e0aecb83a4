/** Checks whether a text matches a pattern in which `*` matches any characters, including none. */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let from = 0;
  while (at < text.length) {
    if (pattern[next] === "*") {
      star = next;
      from = at;
      next += 1;
    } else if (pattern[next] === text[at]) {
      next += 1;
      at += 1;
    } else if (star >= 0) {
      // The last star takes one more character. Earlier stars never need to take more.
      from += 1;
      at = from;
      next = star + 1;
    } else return false;
  }
  while (pattern[next] === "*") next += 1;
  return next === pattern.length;
}
