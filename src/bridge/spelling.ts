const NAMES_MAX = 20;
const NAME_LENGTH_MAX = 100;

/** Converts snake_case to camelCase, because `input_tokens` and `inputTokens` are the same key. */
export function camelCaseOf(key: string): string {
  return key.includes("_")
    ? key.replaceAll(/(?<=[A-Za-z0-9])_+([A-Za-z0-9])/g, (_, next: string) => next.toUpperCase())
    : key;
}

/** Returns one warning for all unknown keys, and names only the first of them. */
export function unknownKeysWarning(what: string, keys: readonly string[]): string {
  const named = keys.slice(0, NAMES_MAX).map((key) => JSON.stringify(key.slice(0, NAME_LENGTH_MAX)));
  const more = keys.length > NAMES_MAX ? ` and ${keys.length - NAMES_MAX} more` : "";
  return `The ${what} has keys that mean nothing here and were left out: ${named.join(", ")}${more}.`;
}
