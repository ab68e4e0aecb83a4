/** What labels are matched by: trimmed, in lower case, every run of white space and underscores as one `_`. */
export function normaliseLabel(label: string): string {
  return label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, "_");
}

/** What a label is called where only names can stand: lower case, and `_` for what no name may hold. */
export function nameOfLabel(label: string): string {
  return normaliseLabel(label).replaceAll(/[^a-z0-9_]+/g, "_");
}
