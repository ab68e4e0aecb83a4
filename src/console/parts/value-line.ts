import type { Json, JsonObject } from "../../core/base/index.ts";

const VALUE_LENGTH = 60;

/** Values in a line, as people read them: `order 4711 · customer Ada`; empty without any. */
export function valueLine(values: JsonObject): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${shortValue(value)}`)
    .join(" · ");
}

/** A value in a few words. */
export function shortValue(value: Json): string {
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/\s+/g, " ").trim();
  return text.length <= VALUE_LENGTH ? text : `${text.slice(0, VALUE_LENGTH)}…`;
}
