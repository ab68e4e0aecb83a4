import { repairText } from "../../core/text/index.ts";

/** Replaces characters that no database can store with U+FFFD. Models, vendors and authors can produce them. */
export function storable(text: string): string {
  const { value } = repairText(text);
  return typeof value === "string" ? value : text;
}
