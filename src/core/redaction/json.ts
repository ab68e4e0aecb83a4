import { isJsonArray, isJsonObject, type Json } from "../base/index.ts";
import { hideCredentials } from "./secret-shape.ts";

type Copy = Json[] | { [key: string]: Json };

/** Redacts without recursion, because the data of an adapter may be nested deeper than the stack. */
export function redactJson(root: Json, text: (text: string) => string): Json {
  const open: { source: Json; copy: Copy }[] = [];
  const copyOf = (value: Json): Json => {
    if (typeof value === "string") return text(value);
    // A secret of digits may also appear as a number.
    if (typeof value === "number") return text(String(value)) === String(value) ? value : text(String(value));
    if (typeof value !== "object" || value === null) return value;
    const copy: Copy = isJsonArray(value) ? [] : {};
    open.push({ source: value, copy });
    return copy;
  };
  const result = copyOf(root);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { source, copy } = next;
    if (Array.isArray(copy)) {
      if (isJsonArray(source)) for (const value of source) copy.push(copyOf(value));
      continue;
    }
    if (!isJsonObject(source)) continue;
    for (const [key, value] of Object.entries(source)) {
      // `defineProperty` instead of assignment, because a key may be `__proto__`.
      Object.defineProperty(copy, freeKey(copy, text(key)), {
        value: copyOf(value),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
  }
  return result;
}

/** Keeps keys distinct when redaction makes them equal. */
function freeKey(copy: object, key: string): string {
  let free = key;
  for (let count = 2; Object.hasOwn(copy, free); count += 1) free = `${key} (${String(count)})`;
  return free;
}

/** Returns the value with everything that looks like a credential removed from its texts and keys. */
export function hideInJson(value: Json): Json {
  return redactJson(value, hideCredentials);
}
