import { isJsonArray, isJsonObject, type Json } from "../../../../core/base/index.ts";

export interface ShownTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A list of objects or of lists as a table; null when the value is neither. */
export function tableOf(value: Json | undefined): ShownTable | null {
  if (!isJsonArray(value) || value.length === 0) return null;
  if (value.every(isJsonObject)) {
    const head = [...new Set(value.flatMap((row) => Object.keys(row)))];
    return { head, rows: value.map((row) => head.map((name) => cellText(row[name]))) };
  }
  if (!value.every(isJsonArray)) return null;
  const width = Math.max(...value.map((row) => row.length));
  const head = Array.from({ length: width }, (_, index) => String(index + 1));
  return { head, rows: value.map((row) => head.map((_, index) => cellText(row[index]))) };
}

function cellText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
