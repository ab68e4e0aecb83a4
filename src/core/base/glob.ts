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

/**
 * Returns whether a pattern for tools can match this tool, or a tool of this server. Patterns are `server/tool` or a name
 * alone, and a `*` in a name alone may also match the slash.
 */
export function mayNameToolOf(pattern: string, toolOrServer: string): boolean {
  const end = pattern.indexOf("/");
  if (end !== -1) return matchesGlob(pattern.slice(0, end), toolOrServer);
  const star = pattern.indexOf("*");
  return star === -1 ? pattern === toolOrServer : toolOrServer.startsWith(pattern.slice(0, star));
}
