import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";

/** Placeholder for a value that is not stored. */
export const REDACTED = "[redacted]";

/** Returns args without the values at the given paths, and the paths that existed. `*` matches any member or element. */
export function redactArgs(
  args: JsonObject,
  paths: readonly string[],
): { readonly args: JsonObject; readonly redacted: readonly string[] } {
  const redacted: string[] = [];
  let kept: Json = args;
  for (const path of paths) {
    const after = without(kept, path.split("."));
    if (after !== kept) redacted.push(path);
    kept = after;
  }
  return { args: isJsonObject(kept) ? kept : {}, redacted };
}

/** Returns the same object when the path leads to nothing. */
function without(value: Json, [head, ...rest]: readonly string[]): Json {
  if (head === undefined) return REDACTED;
  if (isJsonArray(value)) {
    const items = value.map((item, index) => (head === "*" || head === String(index) ? without(item, rest) : item));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const kept = entries.map(([key, member]): [string, Json] => [
    key,
    head === "*" || head === key ? without(member, rest) : member,
  ]);
  return kept.some(([, member], index) => member !== entries[index]?.[1]) ? Object.fromEntries(kept) : value;
}
