import { isJsonArray, isJsonObject, type Json, utf8Length } from "../base/index.ts";

/** Returns the UTF-8 size of a value as JSON. Counting stops above `most`: the result is then only known to be larger than `most`. */
export function jsonBytes(value: Json, most: number): number {
  if (isJsonArray(value)) {
    let bytes = 2 + Math.max(0, value.length - 1);
    for (const item of value) {
      if (bytes > most) return bytes;
      bytes += jsonBytes(item, most - bytes);
    }
    return bytes;
  }
  if (isJsonObject(value)) {
    const names = Object.keys(value);
    let bytes = 2 + Math.max(0, names.length - 1);
    for (const name of names) {
      if (bytes > most) return bytes;
      bytes += textBytes(name, most - bytes) + 1;
      bytes += jsonBytes(value[name] ?? null, most - bytes);
    }
    return bytes;
  }
  return typeof value === "string" ? textBytes(value, most) : JSON.stringify(value).length;
}

/** Returns the size of a text. Its length plus two quotes is a lower bound, so a text above `most` need not be serialised. */
function textBytes(text: string, most: number): number {
  return text.length + 2 > most ? text.length + 2 : utf8Length(JSON.stringify(text));
}
