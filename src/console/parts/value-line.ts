import { isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import { plainText } from "../../core/text/index.ts";

const VALUE_LENGTH = 60;

/** Formats values on one line: `order 4711 · customer Ada`. Empty when there are none. */
export function valueLine(values: JsonObject): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${shortValue(value)}`)
    .join(" · ");
}

/** Returns a value in a few words. For outputs with only `stdout`, returns its text. */
export function shortValue(value: Json): string {
  const [only, ...others] = isJsonObject(value) ? Object.entries(value) : [];
  const shown = only?.[0] === "stdout" && others.length === 0 ? only[1] : value;
  const text = plainText((typeof shown === "string" ? shown : JSON.stringify(shown)).replaceAll(/\s+/g, " ").trim());
  return text.length <= VALUE_LENGTH ? text : `${text.slice(0, VALUE_LENGTH)}…`;
}
