import { compareCodeUnits, type Json } from "../../base/index.ts";
import type { Call } from "./call.ts";

/** Null comes last; everything else is of one kind, number or text. */
function ordered(call: Call, items: readonly { readonly key: Json; readonly item: Json }[]): Json[] {
  const odd = items.findIndex(({ key }) => key !== null && typeof key !== "number" && typeof key !== "string");
  if (odd !== -1) throw call.misfit(`numbers or texts are sorted, but element [${odd}] is neither`, 0);
  const isNumber = (key: Json): boolean => typeof key === "number";
  const first = items.find(({ key }) => key !== null)?.key ?? null;
  const other = items.findIndex(({ key }) => key !== null && isNumber(key) !== isNumber(first));
  if (other !== -1) {
    const [one, two] = isNumber(first) ? ["a number", "text"] : ["text", "a number"];
    throw call.misfit(`element [0] sorts as ${one} and element [${other}] as ${two}: values of one kind are sorted`, 0);
  }
  return [...items].sort((left, right) => compare(call, left.key, right.key)).map(({ item }) => item);
}

function compare(call: Call, left: Json, right: Json): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  if (typeof left === "number" && typeof right === "number") return left - right;
  const [one, other] = [String(left), String(right)];
  call.meter.characters(Math.min(one.length, other.length));
  return compareCodeUnits(one, other);
}

export function runSort(call: Call): readonly Json[] {
  call.meter.elements(call.list(0).length * 8);
  return ordered(
    call,
    call.list(0).map((item) => ({ key: item, item })),
  );
}

export function runSortBy(call: Call): readonly Json[] {
  call.meter.elements(call.list(0).length * 8);
  return ordered(
    call,
    call.list(0).map((item, index) => ({ key: call.apply(1, item, index) ?? null, item })),
  );
}
