import { arrayElement, type SqlScalar } from "../sql.ts";

/** `json` is text that is JSON: it holds no control character, so that a column of it needs no escaping. */
export type ColumnType = "text" | "int" | "bigint" | "json";

const SEPARATOR = "\x1e";

/**
 * A column of a batch as one text. Drivers would take arrays too, but they look at every element several times, which
 * cost as much as the whole rest of a commit.
 */
export function encodeColumn(
  type: ColumnType,
  rows: readonly Readonly<Record<string, SqlScalar>>[],
  column: string,
): string {
  if (type === "json") return rows.map((row) => row[column] ?? "null").join(SEPARATOR);
  return `{${rows.map((row) => arrayElement(row[column] ?? null)).join(",")}}`;
}

/** An expression for the array that `encodeColumn` wrote into a parameter. */
export function decodeColumn(type: ColumnType, place: number): string {
  return type === "json" ? `string_to_array($${place}, chr(30), 'null')` : `$${place}::${type}[]`;
}
