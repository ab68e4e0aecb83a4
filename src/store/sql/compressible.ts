/**
 * Postgres compresses a row only when it is longer than this, whatever its columns are. Most lists that a commit writes
 * are shorter, and JSON like theirs compresses to a third.
 */
const ROW_BYTES_MIN = 2_040;
/** Shorter lists would gain little. */
const LENGTH_MIN = 450;
const SPACES = " ".repeat(ROW_BYTES_MIN);

/** Returns a JSON list long enough to be compressed: spaces before its end compress to nothing, and readers skip them. */
export function compressible(list: string): string {
  const { length } = list;
  if (length < LENGTH_MIN || length >= ROW_BYTES_MIN) return list;
  return `${list.slice(0, -1)}${SPACES.slice(length)}]`;
}
