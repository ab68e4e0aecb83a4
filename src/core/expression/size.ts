import { isJsonArray, isJsonObject, type Json, LIMITS, utf8Length } from "../base/index.ts";
import { overLimit } from "./fault.ts";
import { type Meter, tooLarge } from "./meter.ts";

/**
 * Checks the size of a value before other code visits all of it: parts may be shared many times, so a short expression can
 * create a value larger than memory. It keeps its own stack, because a value can be nested deeper than the call stack
 * allows.
 */
export function weigh(value: Json, meter: Meter): void {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "string") meter.characters(value.length);
    return;
  }
  let size = 0;
  const pending: [Json, number][] = [[value, 1]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [part, depth] = next;
    size += sizeOf(part);
    if (size + pending.length > LIMITS.expressionResultBytesMax) throw tooLarge();
    if (depth > LIMITS.valueDepthMax) {
      throw overLimit(`the expression makes a value nested deeper than ${LIMITS.valueDepthMax}`);
    }
    if (isJsonArray(part)) {
      if (part.length > LIMITS.expressionResultBytesMax) throw tooLarge();
      for (const item of part) pending.push([item, depth + 1]);
    } else if (isJsonObject(part)) {
      for (const key of Object.keys(part)) pending.push([part[key] ?? null, depth + 1]);
    }
  }
  meter.characters(size);
}

/** Returns a size that is never larger than that of the part's JSON. */
function sizeOf(part: Json): number {
  if (typeof part === "string") return part.length + 2;
  if (isJsonArray(part)) return 2;
  if (!isJsonObject(part)) return 1;
  let size = 2;
  for (const key of Object.keys(part)) size += key.length + 3;
  return size;
}

/** Limits a result by its size in bytes and by its depth. */
export function checkResult(value: Json, meter: Meter): void {
  if (typeof value === "string") {
    if (utf8Length(value) > LIMITS.expressionResultBytesMax) throw tooLarge();
    return;
  }
  if (typeof value !== "object" || value === null) return;
  weigh(value, meter);
  if (utf8Length(JSON.stringify(value)) > LIMITS.expressionResultBytesMax) throw tooLarge();
}
