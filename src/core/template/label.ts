/** Returns the form in which labels are compared: trimmed, lower case, each run of white space and underscores as one `_`. */
export function normaliseLabel(label: string): string {
  return label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, "_");
}

/** Returns a label in a form allowed as a name: lower case, with `_` for characters that a name cannot contain. */
export function nameOfLabel(label: string): string {
  return normaliseLabel(label).replaceAll(/[^a-z0-9_]+/g, "_");
}
