/** Characters that may follow a member when a model adds an explanation. */
const BOUNDARY = /^[\s.,:;\-–—(]/;

/**
 * Returns the longest member the text names: the trimmed text equals it, or starts with it followed by white space or
 * one of `. , : ; - – — (`. So `APPROVED - all good` names `APPROVED`, and `APPROVED_FALSE` does not.
 */
export function matchMember(value: string, members: readonly string[]): string | undefined {
  const text = value.trim();
  let best: string | undefined;
  for (const member of members) {
    if (best !== undefined && member.length <= best.length) continue;
    if (namesMember(text, member)) best = member;
  }
  return best;
}

/** Checks whether a trimmed text names this member. Only an empty text names the empty member. */
export function namesMember(text: string, member: string): boolean {
  if (text.length === member.length) return text === member;
  return member !== "" && text.startsWith(member) && BOUNDARY.test(text.charAt(member.length));
}
