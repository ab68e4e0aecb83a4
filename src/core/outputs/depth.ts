import { isJsonArray, isJsonObject, LIMITS, type Json } from "../base/index.ts";

/** Returns whether lists and objects are nested deeper than the limit. It does not recurse. */
export function isTooDeep(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: Json[] = [];
    for (const member of level) {
      const isList = isJsonArray(member);
      if (!isList && !isJsonObject(member)) continue;
      if (depth === LIMITS.valueDepthMax) return true;
      for (const inner of isList ? member : Object.values(member)) next.push(inner);
    }
    level = next;
  }
  return false;
}
