import { stringify } from "yaml";
import type { Json } from "../base/index.ts";

/** A value as YAML without anchors and without folded lines, which `readSource` reads back as the same value. */
export function printYaml(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
