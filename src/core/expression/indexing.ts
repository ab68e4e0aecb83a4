import { getOwn, isJsonArray, isJsonObject, type Json } from "../base/index.ts";
import type { Expression } from "./expression.ts";
import { kindFault, describeOperand } from "./fault.ts";
import type { Meter } from "./meter.ts";
import { sliceList, sliceText } from "./slice.ts";

type Found = Json | undefined;
type Of<Kind extends Expression["kind"]> = Extract<Expression, { readonly kind: Kind }>;

/** Reads `list[number]` or `object[text]`. A missing or null target or index gives missing. */
export function readIndex(node: Of<"index">, target: Found, index: Found): Found {
  if (target === undefined || target === null || index === undefined || index === null) return undefined;
  if (isJsonArray(target) && typeof index === "number") {
    if (!Number.isSafeInteger(index)) {
      throw kindFault(
        `an index is a whole number, but ${describeOperand(node.index, index)} with a fraction`,
        node.position,
      );
    }
    return target.at(index);
  }
  if (isJsonObject(target) && typeof index === "string") return getOwn(target, index);
  const sides = `${describeOperand(node.target, target)} and ${describeOperand(node.index, index)}`;
  throw kindFault(`${sides}: a list is indexed by a number, an object by text`, node.position);
}

export function readSlice(node: Of<"slice">, target: Found, from: Found, to: Found, meter: Meter): Found {
  if (target === undefined || target === null) return undefined;
  const first = boundOf(node, node.from, from);
  const end = boundOf(node, node.to, to);
  if (isJsonArray(target)) {
    meter.elements(target.length);
    return sliceList(target, first, end);
  }
  if (typeof target === "string") {
    meter.characters(target.length);
    return sliceText(target, first, end);
  }
  throw kindFault(`a slice is taken of a list or text, but ${describeOperand(node.target, target)}`, node.position);
}

function boundOf(node: Of<"slice">, written: Expression | null, bound: Found): number | null {
  if (written === null) return null;
  if (typeof bound === "number" && Number.isSafeInteger(bound)) return bound;
  const whole = typeof bound === "number" ? " with a fraction" : "";
  throw kindFault(
    `a slice goes from one whole number to another, but ${describeOperand(written, bound)}${whole}`,
    node.position,
  );
}
