export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Encodes one part of a path or a query. */
export function encode(part: string): string {
  return encodeURIComponent(part);
}

/** Returns the defined values as a query string with a question mark. Empty when there are none. */
export function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => `${encode(name)}=${encode(String(one))}`),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
