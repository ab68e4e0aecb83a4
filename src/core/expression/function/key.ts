import { canonicalJson, type Json } from "../../base/index.ts";
import { weigh } from "../size.ts";
import type { Call } from "./call.ts";

/** Returns a text that is the same only for equal values. */
export function keyed(call: Call, item: Json): string {
  weigh(item, call.meter);
  return canonicalJson(item);
}
