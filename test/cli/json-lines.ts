/** What a program printed, a value per line. */
export function jsonLines(text: string): ReturnType<typeof JSON.parse>[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
