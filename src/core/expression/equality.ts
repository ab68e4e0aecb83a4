import { isJsonArray, isJsonObject, type Json } from "../base/index.ts";

/**
 * Structural equality, blind to the order of keys. It keeps its own stack, because a value may be nested deeper
 * than calls can be.
 */
export function isSameJson(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  const pending: [Json, Json][] = [[left, right]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [one, other] = pair;
    if (one === other) continue;
    if (!pushParts(one, other, pending)) return false;
  }
  return true;
}

function pushParts(one: Json, other: Json, pending: [Json, Json][]): boolean {
  if (isJsonArray(one)) {
    if (!isJsonArray(other) || one.length !== other.length) return false;
    one.forEach((item, index) => pending.push([item, other[index] ?? null]));
    return true;
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(other, key)) return false;
    pending.push([one[key] ?? null, other[key] ?? null]);
  }
  return true;
}
