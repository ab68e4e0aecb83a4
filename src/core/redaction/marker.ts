/**
 * What stands in a secret's place: `[redacted:NAME]`. A mark must not bring back what was taken out, so a name that
 * itself holds a secret, or a secret that could run into the brackets, gets a single character no secret has.
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

/** Could the needle be found in a text around the mark, with a part of the mark in it? */
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
