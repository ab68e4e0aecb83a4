import { fail, isJsonObject, type Json, succeed, type TreePath } from "../base/index.ts";
import { withValue, without } from "./change.ts";
import { readDocument } from "./document.ts";
import { withEntry } from "./entries.ts";
import { printKey, printMember } from "./print-value.ts";
import type { EditOutcome } from "./steps.ts";

/** An edit a person makes to a map in a form. */
export type FieldEdit =
  | { readonly kind: "set"; readonly path: TreePath; readonly value: Json }
  | { readonly kind: "remove"; readonly path: TreePath }
  /** Adds an entry to any list. */
  | { readonly kind: "append"; readonly list: TreePath; readonly index: number; readonly value: Json };

/** Changes one field of a text that is a single map, such as the spec of a manifest. The rest stays as it was written. */
export function editFields(text: string, edit: FieldEdit): EditOutcome {
  const doc = readDocument(text);
  if (doc === null) return fail("The text cannot be read as it stands: fix its first problem, then use the form.");
  const next = changed(text, isJsonObject(doc.value) ? doc.value : null, edit);
  // An edit that makes the text unreadable is a bug of Sluice, so it is refused.
  if (readDocument(next) === null) return fail("The text does not allow this change: make it in the text.");
  return succeed({ text: next, select: null });
}

function changed(text: string, before: Json, edit: FieldEdit): string {
  const names = isJsonObject(before) ? Object.keys(before) : [];
  if (edit.kind === "remove") {
    return edit.path.length === 1 && names.length === 1 ? "" : without(text, edit.path);
  }
  const [key = "", ...inner] = edit.kind === "set" ? edit.path : edit.list;
  // When the text holds only comments, there is no style to preserve.
  if (names.length === 0 && inner.length === 0) {
    const value = edit.kind === "set" ? edit.value : [edit.value];
    const name = String(key);
    const comments = text.split("\n").filter((line) => line.startsWith("#"));
    return [...comments, `${printKey(name)}:${printMember(value, 0, name.length)}`, ""].join("\n");
  }
  if (edit.kind === "append") return withEntry(text, edit.list, edit.index, edit.value);
  return withValue(text, edit.path, edit.value);
}
