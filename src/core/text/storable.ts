import { isJsonArray, isJsonObject, LIMITS, type Json, type PathSegment, type TreePath } from "../base/index.ts";

const NUL = "\0";
const REPLACEMENT = "\ufffd";
/** A lone surrogate. Under the `u` flag, complete pairs do not match. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Returns whether a database that stores UTF-8 text without NUL can store the text. */
export function isStorable(text: string): boolean {
  return !text.includes(NUL) && !LONE_SURROGATE.test(text);
}

export function repaired(text: string): string {
  return isStorable(text) ? text : text.replaceAll(NUL, REPLACEMENT).replace(LONE_SURROGATES, REPLACEMENT);
}

/** A link back to the root, so that a path is built only when there is a problem. */
interface Visit {
  readonly value: Json;
  readonly segment: PathSegment | null;
  readonly from: Visit | null;
}

/** Returns the paths of texts with NUL or a lone surrogate, including keys, in document order; at most fifty. */
export function findUnstorable(value: Json, path: TreePath = []): readonly TreePath[] {
  const found: TreePath[] = [];
  // A stack instead of recursion, because values from adapters may be nested deeper than the call stack allows.
  const stack: Visit[] = [{ value, segment: null, from: null }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const isBadKey = typeof visit.segment === "string" && !isStorable(visit.segment);
    if (isBadKey || (typeof visit.value === "string" && !isStorable(visit.value))) {
      found.push([...path, ...segmentsTo(visit)]);
      if (found.length >= LIMITS.problemsMax) break;
    }
    pushChildren(visit, stack);
  }
  return found;
}

function segmentsTo(visit: Visit): TreePath {
  const segments: PathSegment[] = [];
  for (let step: Visit | null = visit; step !== null && step.segment !== null; step = step.from) {
    segments.push(step.segment);
  }
  return segments.reverse();
}

/** Pushes the last child first, so that the first is visited first. */
function pushChildren(from: Visit, stack: Visit[]): void {
  if (isJsonArray(from.value)) {
    for (let index = from.value.length - 1; index >= 0; index -= 1) {
      stack.push({ value: from.value[index] ?? null, segment: index, from });
    }
  } else if (isJsonObject(from.value)) {
    for (const [segment, value] of Object.entries(from.value).reverse()) stack.push({ value, segment, from });
  }
}

/** Replaces characters that cannot be stored by U+FFFD. A value without such characters is returned as the same object. */
export function repairText(value: Json): { readonly value: Json; readonly isRepaired: boolean } {
  if (findUnstorable(value).length === 0) return { value, isRepaired: false };
  const holder: Json[] = [];
  const stack: Copy[] = [{ value, put: (copy) => holder.push(copy) }];
  for (let copy = stack.pop(); copy !== undefined; copy = stack.pop()) copyRepaired(copy, stack);
  return { value: holder[0] ?? null, isRepaired: true };
}

interface Copy {
  readonly value: Json;
  readonly put: (copy: Json) => void;
}

function copyRepaired({ value, put }: Copy, stack: Copy[]): void {
  if (isJsonArray(value)) {
    const list: Json[] = Array.from(value, () => null);
    put(list);
    for (const [index, item] of value.entries()) stack.push({ value: item, put: (copy) => (list[index] = copy) });
  } else if (isJsonObject(value)) {
    const object = {};
    put(object);
    for (const [key, item] of Object.entries(value)) {
      // Keys are defined now to keep their order, and filled later. `defineProperty` is safe for any key.
      const name = repaired(key);
      defineOwn(object, name, null);
      stack.push({ value: item, put: (copy) => defineOwn(object, name, copy) });
    }
  } else put(typeof value === "string" ? repaired(value) : value);
}

function defineOwn(object: object, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
