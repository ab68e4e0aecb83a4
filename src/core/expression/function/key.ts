import { canonicalJson, type Json } from "../../base/index.ts";
import { weigh } from "../size.ts";
import type { Call } from "./call.ts";

/** A text that is the same for equal values alone. */
export function keyed(call: Call, item: Json): string {
  weigh(item, call.meter);
  return canonicalJson(item);
}
