import { countCodePoints } from "../../base/index.ts";
import { isSameJson } from "../equality.ts";
import type { Call } from "./call.ts";

/** Checks whether a text contains a part, or a list an element. */
export function contains(call: Call): boolean {
  return indexIn(call) !== -1;
}

/** Returns the index of the second argument in the first: in characters for a text, in elements for a list. */
export function indexIn(call: Call): number {
  const wanted = call.value(1) ?? null;
  if (call.isList(0)) {
    call.meter.elements(call.list(0).length);
    return call.list(0).findIndex((item) => isSameJson(item, wanted, call.meter));
  }
  if (typeof wanted !== "string") {
    throw call.kindFault(`${call.describeOperand(0)}, and only text is part of it, but ${call.describeOperand(1)}`, 1);
  }
  call.meter.search(call.text(0), wanted);
  const unit = call.text(0).indexOf(wanted);
  return unit === -1 ? -1 : countCodePoints(call.text(0).slice(0, unit));
}
