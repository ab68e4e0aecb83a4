/** The bytes of a text in UTF-8; half a surrogate pair becomes U+FFFD, as every encoder of the platform does it. */
export function utf8Bytes(text: string): number[] {
  const bytes: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const scalar = point >= 0xd800 && point < 0xe000 ? 0xfffd : point;
    if (scalar < 0x80) bytes.push(scalar);
    else if (scalar < 0x800) bytes.push(0xc0 | (scalar >> 6), tail(scalar));
    else if (scalar < 0x1_0000) bytes.push(0xe0 | (scalar >> 12), tail(scalar >> 6), tail(scalar));
    else bytes.push(0xf0 | (scalar >> 18), tail(scalar >> 12), tail(scalar >> 6), tail(scalar));
  }
  return bytes;
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}
