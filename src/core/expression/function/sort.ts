import { compareCodeUnits, type Json } from "../../base/index.ts";
import type { Call } from "./call.ts";

type SortKey = number | string | null;

interface Sortable {
  readonly key: SortKey;
  readonly item: Json;
}

export function runSort(call: Call): readonly Json[] {
  return ordered(
    call,
    call.list(0).map((item, index) => ({ key: sortKey(call, item, index), item })),
  );
}

export function runSortBy(call: Call): readonly Json[] {
  return ordered(
    call,
    call.list(0).map((item, index) => ({ key: sortKey(call, call.apply(1, item, index) ?? null, index), item })),
  );
}

function sortKey(call: Call, key: Json, index: number): SortKey {
  if (key === null || typeof key === "number" || typeof key === "string") return key;
  throw call.kindFault(`numbers or texts are sorted, but element [${index}] is neither`, 0);
}

/** Sorts elements. Null comes last; all other keys must be of one kind. */
function ordered(call: Call, items: readonly Sortable[]): Json[] {
  call.meter.elements(items.length * 8);
  const first = items.findIndex(({ key }) => key !== null);
  const kind = typeof items[first]?.key;
  const other = items.findIndex(({ key }) => key !== null && typeof key !== kind);
  if (other !== -1) {
    const [one, two] = kind === "number" ? ["a number", "text"] : ["text", "a number"];
    const message = `element [${first}] sorts as ${one} and element [${other}] as ${two}`;
    throw call.kindFault(`${message}: values of one kind are sorted`, 0);
  }
  return [...items].sort((left, right) => compare(call, left.key, right.key)).map(({ item }) => item);
}

function compare(call: Call, left: SortKey, right: SortKey): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "string" && typeof right === "string") {
    call.meter.characters(Math.min(left.length, right.length));
    return compareCodeUnits(left, right);
  }
  return Number(left === null) - Number(right === null);
}
