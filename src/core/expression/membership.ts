import { isJsonArray, type Json } from "../base/index.ts";
import { isSameJson } from "./equality.ts";
import type { Expression } from "./expression.ts";
import { kindFault, describeOperand } from "./fault.ts";
import { namesMember } from "./member.ts";
import type { Meter } from "./meter.ts";

/** A text is in a list when it names a member of the list. Any other value is in it when it equals an element. */
export function isMemberOf(
  node: Extract<Expression, { readonly kind: "in" }>,
  value: Json | undefined,
  list: Json | undefined,
  meter: Meter,
): boolean {
  if (list === undefined || list === null) return false;
  if (!isJsonArray(list))
    throw kindFault(`in looks into a list, but ${describeOperand(node.list, list)}`, node.position);
  if (value === undefined) return false;
  meter.elements(list.length);
  if (typeof value !== "string") return list.some((member) => isSameJson(value, member, meter));
  const text = value.trim();
  meter.characters(value.length);
  return list.some((member) => {
    if (typeof member !== "string") return false;
    meter.characters(Math.min(text.length, member.length));
    return namesMember(text, member);
  });
}
