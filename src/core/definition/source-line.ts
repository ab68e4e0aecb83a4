const NEWLINE = 10;

/** Returns one line of a source, counted from 1. For bytes only the ASCII start is returned, which is enough to compute columns. */
export function sourceLine(source: string | Uint8Array, line: number): string {
  if (typeof source === "string") {
    let start = source.startsWith("\uFEFF") ? 1 : 0;
    for (let passed = 1; passed < line; passed += 1) {
      const end = source.indexOf("\n", start);
      if (end === -1) return "";
      start = end + 1;
    }
    const end = source.indexOf("\n", start);
    return source.slice(start, end === -1 ? undefined : end);
  }
  let start = source[0] === 0xef ? 3 : 0;
  for (let passed = 1; passed < line; passed += 1) {
    const end = source.indexOf(NEWLINE, start);
    if (end === -1) return "";
    start = end + 1;
  }
  let text = "";
  for (let at = start; at < source.length; at += 1) {
    const byte = source[at] ?? NEWLINE;
    if (byte === NEWLINE || byte >= 0x80) break;
    text += String.fromCharCode(byte);
  }
  return text;
}
