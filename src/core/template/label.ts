/** What labels are matched by: trimmed, in lower case, every run of white space and underscores as one `_`. */
export function normaliseLabel(label: string): string {
  return label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, "_");
}
