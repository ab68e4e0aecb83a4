/** Whether a text fits a pattern in which `*` stands for any characters, none included. */
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
      // The last star takes one character more; an earlier one need never take more than it has.
      from += 1;
      at = from;
      next = star + 1;
    } else return false;
  }
  while (pattern[next] === "*") next += 1;
  return next === pattern.length;
}
