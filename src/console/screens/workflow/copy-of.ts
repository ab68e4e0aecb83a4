import { editFields } from "../../../core/edit/index.ts";

/** Returns the text of a workflow with another name, so that the copy does not replace the workflow that the code produces. */
export function copyOf(source: string, name: string): string {
  const renamed = editFields(source, { kind: "set", path: ["name"], value: `${name}-copy` });
  return renamed.ok ? renamed.value.text : source;
}
