import { repairText } from "../../core/text/index.ts";

/** Models, vendors and authors can write what no database keeps; it becomes U+FFFD. */
export function storable(text: string): string {
  const { value } = repairText(text);
  return typeof value === "string" ? value : text;
}
