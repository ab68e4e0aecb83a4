import { isJsonArray, isJsonObject, LIMITS, type Json } from "../base/index.ts";

/** True when lists and objects stand inside each other more than the limit. Walks without recursion. */
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
