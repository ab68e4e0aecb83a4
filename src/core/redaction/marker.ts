/**
 * Returns the marks that replace secrets: `[redacted:NAME]`. A mark must not reveal a secret again. If the name contains a
 * secret, or a secret could overlap the brackets, the mark is a single character that no secret contains.
 */
export function marksOf(names: readonly string[], needles: readonly string[]): string[] {
  const bracketed = needles.filter((needle) => needle.includes("[") || needle.includes("]"));
  let block: string | undefined;
  return names.map((name) => {
    const mark = `[redacted:${name}]`;
    const isSafe =
      !needles.some((needle) => mark.includes(needle)) && !bracketed.some((needle) => overlaps(mark, needle));
    if (isSafe) return mark;
    block ??= unusedCharacter(needles);
    return block;
  });
}

/** Returns whether the needle could match text around the mark together with a part of the mark. */
function overlaps(mark: string, needle: string): boolean {
  if (needle.includes(mark)) return true;
  for (let length = 1; length < Math.min(mark.length, needle.length); length += 1) {
    if (mark.startsWith(needle.slice(-length)) || mark.endsWith(needle.slice(0, length))) return true;
  }
  return false;
}

function unusedCharacter(needles: readonly string[]): string {
  const used = new Set(needles.flatMap((needle) => needle.split("")));
  let code = "█".charCodeAt(0);
  while (used.has(String.fromCharCode(code))) code += 1;
  return String.fromCharCode(code);
}
