import { isJsonArray, isJsonObject, type Json } from "../base/index.ts";
import type { Meter } from "./meter.ts";

/**
 * Structural equality that ignores the order of keys. It keeps its own stack, because a value can be nested deeper than
 * the
 * call stack allows. A part may occur many times, so the meter limits the work.
 */
export function isSameJson(left: Json, right: Json, meter?: Meter): boolean {
  if (typeof left !== "object" || typeof right !== "object") return isSameScalar(left, right, meter);
  if (left === right) return true;
  const pending: [Json, Json][] = [[left, right]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [one, other] = pair;
    meter?.elements(1);
    if (isSameScalar(one, other, meter)) continue;
    if (!pushParts(one, other, pending)) return false;
  }
  return true;
}

function isSameScalar(one: Json, other: Json, meter: Meter | undefined): boolean {
  if (meter !== undefined && typeof one === "string" && typeof other === "string" && one.length === other.length) {
    meter.characters(one.length);
  }
  return one === other;
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
