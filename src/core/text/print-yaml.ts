import { stringify } from "yaml";
import type { Json } from "../base/index.ts";

/** Prints a value as YAML without anchors and folded lines. `readSource` reads it back as the same value. */
export function printYaml(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
